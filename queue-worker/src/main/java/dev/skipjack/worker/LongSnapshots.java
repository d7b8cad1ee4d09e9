package dev.skipjack.worker;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The kinds whose handlers complete their jobs in transactions that began before a renewal of the
 * lease, and the lease that their attempts get instead of renewals.
 *
 * <p>A renewal changes the job's row. A REPEATABLE READ or SERIALIZABLE transaction whose snapshot
 * is older can then neither change nor delete that row: {@code completeIn} fails with 40001. Every
 * later attempt takes as long and would fail likewise, until the job is dead. So the attempt is
 * released without being counted, and from then on this worker gives attempts of that kind one long
 * lease before their handlers start, and does not change the row while they run.
 *
 * <p>The price: each start costs a statement and a commit, a job of such a kind is rescued that
 * much later if its worker dies, and the progress that its handler reports is not written. So a
 * kind is forgotten when many of its attempts in a row end within a heartbeat interval. Each time
 * it has to be learned again, twice as many such attempts are needed to forget it: a rare long job
 * among short ones would otherwise be released, uncounted, again and again.
 *
 * <p>Kept in memory only, because each worker can learn the kinds by itself. Safe for any number of
 * threads.
 */
final class LongSnapshots {

  /** The longest lease. A transaction that stays open longer must call {@code completeIn} first. */
  static final Duration LONGEST = Duration.ofHours(6);

  /**
   * A lease lasts this many times as long as the transaction that failed, and is renewed after half
   * of it.
   */
  private static final int MARGIN = 3;

  /** After this many short attempts in a row a kind is forgotten for the first time. */
  static final int PATIENCE = 100;

  private final long heartbeatInterval;
  private final Map<String, Kind> kinds = new ConcurrentHashMap<>();

  /**
   * @param lease null if the kind is forgotten and must be learned again
   * @param patience number of short attempts in a row after which it is forgotten
   * @param brief number of short attempts in a row so far
   */
  private record Kind(@Nullable Duration lease, long patience, long brief) {}

  /**
   * @param heartbeatInterval shorter attempts are not renewed, unless they have waited
   */
  LongSnapshots(Duration heartbeatInterval) {
    this.heartbeatInterval = heartbeatInterval.toNanos();
  }

  /** Returns the lease for an attempt of this kind; null for the usual lease with renewals. */
  @Nullable Duration leaseOf(String kind) {
    Kind known = kinds.get(kind);
    return known == null ? null : known.lease();
  }

  /**
   * Records how long an attempt ran, however it ended.
   *
   * @param took in nanoseconds
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
   * Learns from an attempt that failed after {@code took} because its row had been changed while it
   * ran.
   *
   * @param lease the lease that the attempt had
   * @return whether the next attempt gets a longer one; if not, another try would fail likewise
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
