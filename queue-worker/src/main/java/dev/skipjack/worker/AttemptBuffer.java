package dev.skipjack.worker;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Claimed attempts of one queue that wait for a thread: higher priority first, then in the order of
 * arrival. Its bound is kept by the fetcher, which claims only what there is room for.
 */
final class AttemptBuffer {

  private record Waiting(Attempt attempt, long arrival) {}

  private final PriorityQueue<Waiting> waiting =
      new PriorityQueue<>(
          Comparator.<Waiting>comparingInt(w -> -w.attempt().job().priority())
              .thenComparingLong(Waiting::arrival));
  private long arrivals;
  private boolean closed;

  /** Answers false once closed: the attempt is then the caller's to give back. */
  synchronized boolean add(Attempt attempt) {
    if (closed) {
      return false;
    }
    waiting.add(new Waiting(attempt, arrivals++));
    notify();
    return true;
  }

  /** Waits for the next attempt; null once closed. */
  synchronized @Nullable Attempt take() throws InterruptedException {
    while (waiting.isEmpty() && !closed) {
      wait();
    }
    Waiting next = waiting.poll();
    return next == null ? null : next.attempt();
  }

  synchronized int size() {
    return waiting.size();
  }

  /** Ends every wait and answers what nobody took. */
  synchronized List<Attempt> close() {
    closed = true;
    List<Attempt> left = new ArrayList<>();
    for (Waiting next = waiting.poll(); next != null; next = waiting.poll()) {
      left.add(next.attempt());
    }
    notifyAll();
    return left;
  }
}
