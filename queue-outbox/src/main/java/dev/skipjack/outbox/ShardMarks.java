package dev.skipjack.outbox;

import dev.skipjack.outbox.SweepStatements.First;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The positions at which a relay begins to read the pending events of each shard.
 *
 * <p>While a transaction anywhere keeps an old snapshot, vacuum cannot remove the index entries of
 * published events. Without a mark, every read begins with them, so reads become slower and slower.
 * With a mark, reads skip them.
 *
 * <p>No event may be missed, and none may be published before an earlier one of its aggregate that
 * is visible. A transaction that commits late adds events with positions below those that have been
 * published, so a mark must stay below the positions of every transaction that may still commit. A
 * transaction that records events has a lock on the table before it draws a position, and keeps it
 * until it ends. A sweep therefore reads the last position drawn and then lists the holders of that
 * lock. When a later sweep finds that all of them have ended, that position is settled: events up
 * to it are visible or will never exist. The mark of a shard is the position of its first pending
 * event, or the one after the settled position if that is lower.
 *
 * <p>Marks are in use only while reads are slow. Three slow reads in succession start their use,
 * and three fast sweeps in succession end it. After a sweep, the relay waits twenty times as long
 * as the sweep took, but 2 to 20 seconds, until it sweeps again. Marks are dropped when the
 * database fails, because the next connection may lead to another server.
 *
 * <p>Marks are kept in memory only. Safe for any number of threads.
 */
final class ShardMarks {

  /** The maximum duration of a fast read, and of a fast sweep. */
  static final Duration FAST = Duration.ofMillis(5);

  private static final long FAST_FOR_EACH_EVENT = Duration.ofNanos(50_000).toNanos();
  private static final int IN_SUCCESSION = 3;

  private static final long SHORTEST_INTERVAL = Duration.ofSeconds(2).toNanos();
  private static final long LONGEST_INTERVAL = Duration.ofSeconds(20).toNanos();
  private static final int SHARE = 20;

  private final LongSupplier nanoTime;
  private final long fast;

  private int contrary;
  private boolean inUse;
  private boolean sweeping;
  private long sweepAt;
  private @Nullable Frontier frontier;
  private long settled;
  private List<Long> marks = List.of();

  /**
   * The last position drawn at some time, and the open transactions that may have drawn a position
   * before.
   */
  private record Frontier(long position, Set<String> writers) {}

  /**
   * The results of a sweep, in the order in which it read them.
   *
   * @param position the last position drawn
   * @param writers the transactions that have a lock on the table of events
   * @param first the first pending event of each shard, in the order of the shards
   */
  record Sweep(long position, Set<String> writers, List<First> first) {}

  /**
   * @param fast replaces {@link #FAST}; if negative, neither a sweep nor a read without events
   *     counts as fast
   */
  ShardMarks(LongSupplier nanoTime, Duration fast) {
    this.nanoTime = nanoTime;
    this.fast = fast.toNanos();
  }

  /** Returns the mark of each shard by its number; empty if none is in use. */
  synchronized List<Long> marks() {
    return marks;
  }

  /**
   * Notes the duration of a read.
   *
   * @param events the number of events that it returned
   */
  synchronized void noteRead(long nanos, int events) {
    if (inUse) {
      return;
    }
    contrary = nanos > fast + events * FAST_FOR_EACH_EVENT ? contrary + 1 : 0;
    if (contrary == IN_SUCCESSION) {
      inUse = true;
      contrary = 0;
      sweepAt = nanoTime.getAsLong();
    }
  }

  /** Returns whether the caller must sweep, and then call {@link #note} or {@link #drop}. */
  synchronized boolean beginSweep() {
    if (!inUse || sweeping || nanoTime.getAsLong() - sweepAt < 0) {
      return false;
    }
    sweeping = true;
    return true;
  }

  synchronized void note(Sweep sweep, long nanos) {
    if (!sweeping) {
      return; // dropped in the meantime
    }
    sweeping = false;
    contrary = nanos > fast ? 0 : contrary + 1;
    if (contrary == IN_SUCCESSION) {
      drop();
      return;
    }
    sweepAt =
        nanoTime.getAsLong()
            + Math.min(LONGEST_INTERVAL, Math.max(SHORTEST_INTERVAL, SHARE * nanos));
    Frontier earlier = frontier;
    if (earlier == null) {
      frontier = new Frontier(sweep.position(), sweep.writers());
      sweepAt = nanoTime.getAsLong() + nanos;
      return;
    }
    Set<String> left = new HashSet<>(earlier.writers());
    left.retainAll(sweep.writers());
    if (left.isEmpty()) {
      settled = earlier.position();
      frontier = new Frontier(sweep.position(), sweep.writers());
    } else {
      frontier = new Frontier(earlier.position(), left);
      if (marks.isEmpty()) {
        return;
      }
    }
    long end = settled + 1;
    marks = sweep.first().stream().map(first -> first.before(end)).toList();
  }

  synchronized void drop() {
    inUse = false;
    sweeping = false;
    contrary = 0;
    frontier = null;
    marks = List.of();
  }
}
