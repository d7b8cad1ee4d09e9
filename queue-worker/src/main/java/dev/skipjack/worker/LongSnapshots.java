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
 * given back without being counted, and from then on this worker gives attempts of that kind one
 * long lease before their handlers start, and leaves the row alone while they run.
 *
 * <p>The price: a job of such a kind is rescued that much later if its worker dies, and what its
 * handler reports of its progress is not written.
 *
 * <p>In memory only, because each worker can find it out by itself. Safe for any number of threads.
 */
final class LongSnapshots {

  /** Longest lease: a transaction that is open for longer has to call {@code completeIn} first. */
  static final Duration LONGEST = Duration.ofHours(6);

  /** A lease lasts for as many of the transactions that were met, and is renewed after half. */
  private static final int MARGIN = 3;

  private final Map<String, Duration> leases = new ConcurrentHashMap<>();

  /** The lease for an attempt of this kind; null: the usual one, with renewals. */
  @Nullable Duration leaseOf(String kind) {
    return leases.get(kind);
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
    leases.merge(kind, granted, LongSnapshots::longer);
    return true;
  }

  private static Duration longer(Duration left, Duration right) {
    return left.compareTo(right) < 0 ? right : left;
  }
}
