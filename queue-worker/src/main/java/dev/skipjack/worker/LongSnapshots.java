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
 * lease before their handlers start, and leaves the row alone while they run.
 *
 * <p>The price: each start costs a statement and a commit, a job of such a kind is rescued that
 * much later if its worker dies, and what its handler reports of its progress is not written. So a
 * kind is forgotten when many of its attempts in a row end within a heartbeat interval. Each time
 * it has to be learned again it takes twice as many to forget it: a rare long job among short ones
 * would otherwise be released, uncounted, again and again.
 *
 * <p>In memory only, because each worker can find it out by itself. Safe for any number of threads.
 */
final class LongSnapshots {

  /** Longest lease: a transaction that is open for longer has to call {@code completeIn} first. */
  static final Duration LONGEST = Duration.ofHours(6);

  /** A lease lasts for as many of the transactions that were met, and is renewed after half. */
  private static final int MARGIN = 3;

  /** How many short attempts in a row make a kind forgotten, the first time. */
  static final int PATIENCE = 100;

  private final long heartbeatInterval;
  private final Map<String, Kind> kinds = new ConcurrentHashMap<>();

  /**
   * @param lease null: forgotten, to be learned again
   * @param patience how many short attempts in a row make it forgotten
   * @param brief how many of those have ended
   */
  private record Kind(@Nullable Duration lease, long patience, long brief) {}

  /**
   * @param heartbeatInterval shorter attempts meet no renewal, unless they have waited
   */
  LongSnapshots(Duration heartbeatInterval) {
    this.heartbeatInterval = heartbeatInterval.toNanos();
  }

  /** The lease for an attempt of this kind; null: the usual one, with renewals. */
  @Nullable Duration leaseOf(String kind) {
    Kind known = kinds.get(kind);
    return known == null ? null : known.lease();
  }

  /**
   * Learns from how long an attempt ran, however it ended.
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
