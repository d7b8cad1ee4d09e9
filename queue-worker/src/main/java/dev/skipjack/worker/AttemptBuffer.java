package dev.skipjack.worker;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Claimed attempts of one queue that wait for a thread: higher priority first, then in the order of
 * arrival; unless the order is strict, every tenth that leaves is the first that arrived. Without
 * that, what was claimed in time could still wait here for ever. Its bound is kept by the fetcher,
 * which claims only what there is room for.
 */
final class AttemptBuffer {

  private record Waiting(Attempt attempt, long arrival) {}

  private static final int RESERVED = 10;

  private final LaneOrder.Reserve reserve;
  private final PriorityQueue<Waiting> waiting =
      new PriorityQueue<>(
          Comparator.<Waiting>comparingInt(w -> -w.attempt().job().priority())
              .thenComparingLong(Waiting::arrival));
  private long arrivals;
  private int left;
  private boolean closed;

  AttemptBuffer(LaneOrder.Reserve reserve) {
    this.reserve = reserve;
  }

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
    Waiting next = next();
    return next == null ? null : next.attempt();
  }

  private @Nullable Waiting next() {
    left = (left + 1) % RESERVED;
    if (left > 0 || waiting.isEmpty() || reserve == LaneOrder.Reserve.NOTHING) {
      return waiting.poll();
    }
    Waiting first = Collections.min(waiting, Comparator.comparingLong(Waiting::arrival));
    waiting.remove(first);
    return first;
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
