package dev.skipjack.worker;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Claimed attempts of one queue that wait for a place: higher priority first, then in the order of
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
    return true;
  }

  /** The next attempt; null if none waits. */
  synchronized @Nullable Attempt poll() {
    if (waiting.isEmpty()) {
      return null;
    }
    left = (left + 1) % RESERVED;
    Waiting next = waiting.peek();
    if (left == 0 && reserve != LaneOrder.Reserve.NOTHING) {
      next = Collections.min(waiting, Comparator.comparingLong(Waiting::arrival));
      waiting.remove(next);
    } else {
      waiting.poll();
    }
    return next.attempt();
  }

  synchronized int size() {
    return waiting.size();
  }

  /** Takes nothing more, and answers what nobody took. */
  synchronized List<Attempt> close() {
    closed = true;
    List<Attempt> left = new ArrayList<>();
    for (Waiting next = waiting.poll(); next != null; next = waiting.poll()) {
      left.add(next.attempt());
    }
    return left;
  }
}
