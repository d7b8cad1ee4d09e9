package dev.skipjack.worker;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The claimed attempts of one queue that wait for a slot. They leave the buffer by priority, and in
 * the order of arrival within a priority. Each reserved slot (see {@link LaneOrder.Reserve}) takes
 * the attempt that arrived first, so that no job waits here indefinitely. The claim loop keeps the
 * buffer bounded, because it claims only as many jobs as there is room for.
 */
final class AttemptBuffer {

  /**
   * @param since the nanoTime of its arrival in the buffer; the duration of the claim does not
   *     count as waiting
   */
  private record Waiting(Attempt attempt, long arrival, long since) {}

  private final LaneOrder.Reserve reserve;

  /** Attempts by priority, highest first, in the order of arrival. No deque is empty. */
  private final TreeMap<Integer, Deque<Waiting>> waiting = new TreeMap<>(Comparator.reverseOrder());

  private int size;
  private long arrivals;
  private long left;
  private boolean closed;

  AttemptBuffer(LaneOrder.Reserve reserve) {
    this.reserve = reserve;
  }

  /**
   * Adds an attempt. Returns false if the buffer is closed; the caller must then release the
   * attempt.
   */
  synchronized boolean add(Attempt attempt) {
    if (closed) {
      return false;
    }
    waiting
        .computeIfAbsent(attempt.job().priority(), priority -> new ArrayDeque<>())
        .add(new Waiting(attempt, arrivals++, System.nanoTime()));
    size++;
    return true;
  }

  /** Removes and returns the next attempt, or null if none is waiting. */
  synchronized @Nullable Attempt poll() {
    if (size == 0) {
      return null;
    }
    left++;
    Map.Entry<Integer, Deque<Waiting>> from = waiting.firstEntry();
    if (reserve.isReserved(left)) {
      for (Map.Entry<Integer, Deque<Waiting>> lower : waiting.entrySet()) {
        if (lower.getValue().getFirst().arrival() < from.getValue().getFirst().arrival()) {
          from = lower;
        }
      }
    }
    Attempt next = from.getValue().removeFirst().attempt();
    if (from.getValue().isEmpty()) {
      waiting.remove(from.getKey());
    }
    size--;
    return next;
  }

  synchronized int size() {
    return size;
  }

  /** Removes and returns the attempts that have waited for at least the given nanoseconds. */
  synchronized List<Attempt> takeOut(long patience) {
    long now = System.nanoTime();
    List<Attempt> out = new ArrayList<>();
    for (Deque<Waiting> lane : waiting.values()) {
      lane.removeIf(one -> now - one.since() >= patience && out.add(one.attempt()));
    }
    waiting.values().removeIf(Deque::isEmpty);
    size -= out.size();
    return out;
  }

  /** Closes the buffer, and returns the attempts that were left in it. */
  synchronized List<Attempt> close() {
    closed = true;
    List<Attempt> rest = new ArrayList<>(size);
    waiting.values().forEach(lane -> lane.forEach(one -> rest.add(one.attempt())));
    waiting.clear();
    size = 0;
    return rest;
  }
}
