package dev.skipjack.worker;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A queue that this worker serves, and how many more of its jobs the worker has room for.
 *
 * <p>What waits or runs counts against the places and the prefetch. What has ended counts until its
 * outcome is written too, but with more room: claims must not wait for each flush, and yet a
 * database that takes no outcomes has to stop them.
 */
final class ServedQueue {

  /** Longest that prefetched jobs should wait for a thread, at the pace of the last ones. */
  private static final long PREFETCH_WINDOW = Duration.ofMillis(50).toNanos();

  /** How many times the prefetch may be held in all. */
  private static final int UNWRITTEN_PREFETCHES = 3;

  private final String name;
  private final int concurrency;
  private final int longestPrefetch;
  private final Wakeup fetcher;
  private final AttemptBuffer buffer;
  private final AtomicInteger held = new AtomicInteger();
  private final AtomicInteger unwritten = new AtomicInteger();
  private final AtomicInteger replaced = new AtomicInteger();
  private volatile boolean full;
  private volatile int prefetch;
  private double averageNanos = Double.NaN;

  ServedQueue(
      String name,
      int concurrency,
      int longestPrefetch,
      Wakeup fetcher,
      LaneOrder.Reserve reserve) {
    this.name = name;
    this.concurrency = concurrency;
    this.longestPrefetch = longestPrefetch;
    this.fetcher = fetcher;
    this.buffer = new AttemptBuffer(reserve);
    this.prefetch = Math.min(concurrency, longestPrefetch);
  }

  String name() {
    return name;
  }

  int concurrency() {
    return concurrency;
  }

  AttemptBuffer buffer() {
    return buffer;
  }

  /** How many jobs to ask for now. After 0 the fetcher is woken once there is room again. */
  int ask() {
    full = true; // before looking, or room that is made meanwhile would wake nobody
    int room = room();
    if (room > 0) {
      full = false;
    }
    return room;
  }

  private int room() {
    int places = concurrency + replaced.get();
    int most = places + prefetch;
    int all = held.get();
    int room =
        Math.min(most - (all - unwritten.get()), places + UNWRITTEN_PREFETCHES * prefetch - all);
    // While threads still find work in the buffer, small claims can wait to become a large one.
    boolean fed = buffer.size() > 0 && room * 2 < most;
    return fed ? 0 : Math.max(room, 0);
  }

  void claimed() {
    held.incrementAndGet();
  }

  /** An attempt has ended, and its outcome waits to be written. */
  void ended() {
    unwritten.incrementAndGet();
    wakeFetcher();
  }

  /**
   * An attempt's outcome is written, or nobody's business any more.
   *
   * @param ended whether {@link #ended} was called for it
   */
  void settled(boolean ended) {
    held.decrementAndGet();
    if (ended) {
      unwritten.decrementAndGet();
    }
    wakeFetcher();
  }

  private void wakeFetcher() {
    if (full && room() > 0) {
      fetcher.raise();
    }
  }

  /** A stuck handler's place is open to others. */
  void replaced() {
    replaced.incrementAndGet();
    wakeFetcher();
  }

  /** That handler has ended. */
  void returned() {
    replaced.decrementAndGet();
  }

  /** Learns how long an attempt kept its thread. */
  synchronized void ran(long nanos) {
    averageNanos = Double.isNaN(averageNanos) ? nanos : averageNanos * 0.9 + nanos * 0.1;
    double drained = concurrency * (PREFETCH_WINDOW / Math.max(averageNanos, 1));
    prefetch = (int) Math.min(drained, longestPrefetch);
  }
}
