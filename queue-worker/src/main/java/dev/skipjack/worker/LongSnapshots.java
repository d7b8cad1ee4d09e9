package dev.skipjack.worker;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Keeps track of the kinds whose handlers complete their jobs in transactions that began before a
 * renewal of the lease. Attempts of these kinds get one long lease instead of renewals.
 *
 * <p>A renewal changes the job's row. A REPEATABLE READ or SERIALIZABLE transaction with an older
 * snapshot can then neither change nor delete that row, so {@code completeIn} fails with 40001.
 * Every later attempt would take just as long and fail for the same reason, until the job is dead.
 * The attempt is therefore released without being counted. From then on, this worker gives attempts
 * of that kind one long lease before their handlers start, and does not change the row while they
 * run.
 *
 * <p>A long lease has costs. Each start requires another statement and a commit, the job is rescued
 * later if the worker's process ends, and the progress of its handler is not written. A kind is
 * therefore forgotten after a number of successive attempts that ended within a heartbeat interval.
 * Each time a kind has to be learned again, that number doubles, so that a rare long job among
 * short ones is not repeatedly released without being counted.
 *
 * <p>Each worker detects these kinds independently and keeps them in memory only. Safe for any
 * number of threads.
 */
final class LongSnapshots {

  /**
   * The maximum duration of a long lease. A transaction that stays open longer must call {@code
   * completeIn} first.
   */
  static final Duration LONGEST = Duration.ofHours(6);

  /**
   * The ratio of a long lease to the duration of the attempt that failed. The lease is renewed
   * after half of its duration.
   */
  private static final int MARGIN = 3;

  /** The number of successive short attempts after which a kind is forgotten for the first time. */
  static final int PATIENCE = 100;

  private final long heartbeatInterval;
  private final Map<String, Kind> kinds = new ConcurrentHashMap<>();

  /**
   * @param lease the long lease, or null if the kind is forgotten and must be learned again
   * @param patience the number of successive short attempts after which the kind is forgotten
   * @param brief the number of successive short attempts so far
   */
  private record Kind(@Nullable Duration lease, long patience, long brief) {}

  /**
   * @param heartbeatInterval the age at which leases are renewed; an attempt that takes less time
   *     is usually not renewed
   */
  LongSnapshots(Duration heartbeatInterval) {
    this.heartbeatInterval = heartbeatInterval.toNanos();
  }

  /** Returns the lease for an attempt of this kind, or null for the usual lease with renewals. */
  @Nullable Duration leaseOf(String kind) {
    Kind known = kinds.get(kind);
    return known == null ? null : known.lease();
  }

  /**
   * Records how long an attempt ran, however it ended.
   *
   * @param took the duration in nanoseconds
   */
  void ran(String kind, long took) {
    Kind known = kinds.get(kind);
    if (known == null
        || known.lease() == null
        || (took >= heartbeatInterval && known.brief() == 0)) {
      return;
    }
    kinds.computeIfPresent(kind, (name, now) -> after(now, took));
  }

  private Kind after(Kind known, long took) {
    if (known.lease() == null || took >= heartbeatInterval) {
      return new Kind(known.lease(), known.patience(), 0);
    }
    return known.brief() + 1 < known.patience()
        ? new Kind(known.lease(), known.patience(), known.brief() + 1)
        : new Kind(null, Math.min(known.patience() * 2, Long.MAX_VALUE / 4), 0);
  }

  /**
   * Records an attempt that failed after {@code took}, because the worker changed the job's row
   * while the attempt was running.
   *
   * @param lease the lease of the attempt
   * @return true if the next attempt gets a longer lease; false if it would fail for the same
   *     reason
   */
  boolean learn(String kind, Duration took, Duration lease) {
    Duration wanted = longer(took.multipliedBy(MARGIN), lease.multipliedBy(2));
    Duration granted = wanted.compareTo(LONGEST) < 0 ? wanted : LONGEST;
    if (granted.compareTo(lease) <= 0) {
      return false;
    }
    kinds.merge(
        kind,
        new Kind(granted, PATIENCE, 0),
        (known, learned) ->
            new Kind(
                known.lease() == null ? granted : longer(known.lease(), granted),
                known.patience(),
                0));
    return true;
  }

  private static Duration longer(Duration left, Duration right) {
    return left.compareTo(right) < 0 ? right : left;
  }
}
