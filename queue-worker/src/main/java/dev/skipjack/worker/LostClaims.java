package dev.skipjack.worker;

import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Ended;
import dev.skipjack.api.spi.Requeue;
import dev.skipjack.api.spi.UnknownClaimException;
import dev.skipjack.api.spi.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;

/**
 * Releases the jobs of claims whose connection broke during the commit. If the claim was committed
 * nevertheless, the jobs would otherwise wait until their leases expire.
 *
 * <p>The attempts are released without being counted. Each is named by its execution id, so a later
 * claim of the same job is never affected, even if the same worker made it. The server may commit
 * the claim even later, for example if it has not noticed yet that the connection broke. Attempts
 * that do not hold their jobs are therefore tried again, at growing intervals, until their leases
 * would have expired.
 *
 * <p>Confined to one thread.
 */
final class LostClaims {

  private static final long SHORTEST_PAUSE = Duration.ofSeconds(1).toNanos();

  private static final int BATCH = 200;

  private final Function<List<Requeue>, List<Ended>> requeue;
  private final long lease;
  private final LongSupplier clock;
  private final IntConsumer reportReleased;
  private List<Lost> lost = new ArrayList<>();

  /**
   * @param requeue ends attempts without counting them
   * @param lease the duration of the leases that claims request
   * @param clock a clock in nanoseconds, such as {@link System#nanoTime()}
   * @param reportReleased receives the number of jobs that were released
   */
  LostClaims(
      Function<List<Requeue>, List<Ended>> requeue,
      Duration lease,
      LongSupplier clock,
      IntConsumer reportReleased) {
    this.requeue = requeue;
    this.lease = lease.toNanos();
    this.clock = clock;
    this.reportReleased = reportReleased;
  }

  /**
   * Attempts of a lost claim.
   *
   * @param since when the claim was lost
   * @param dueAt when to try next to release them
   */
  private record Lost(List<Requeue> attempts, long since, long dueAt) {}

  /** Adds the jobs of a claim. They are released by the next {@link #release()}. */
  void add(UnknownClaimException failure) {
    long now = clock.getAsLong();
    List<Requeue> attempts = failure.jobs().stream().map(LostClaims::released).toList();
    for (int from = 0; from < attempts.size(); from += BATCH) {
      int to = Math.min(from + BATCH, attempts.size());
      lost.add(new Lost(attempts.subList(from, to), now, now));
    }
  }

  /** The due time does not change, because no handler was called. */
  private static Requeue released(ClaimedJob job) {
    return Requeue.until(job.execution(), ExecutionStatus.RELEASED, job.scheduledAt());
  }

  /**
   * Releases the jobs of lost claims that are due to be tried.
   *
   * @return whether the database was used
   * @throws StoreException if the database is unavailable
   */
  boolean release() {
    if (lost.isEmpty()) {
      return false;
    }
    long now = clock.getAsLong();
    List<Lost> left = new ArrayList<>();
    boolean asked = false;
    for (Lost claim : lost) {
      if (claim.dueAt() - now > 0) {
        left.add(claim);
        continue;
      }
      asked = true;
      List<Requeue> notHeld = notReleased(claim.attempts());
      long age = now - claim.since();
      if (!notHeld.isEmpty() && age < lease) {
        left.add(new Lost(notHeld, claim.since(), now + Math.max(SHORTEST_PAUSE, age / 2)));
      }
    }
    lost = left;
    return asked;
  }

  /** Returns the nanoseconds until {@link #release()} must be called, but at most {@code most}. */
  long pause(long most) {
    long pause = most;
    for (Lost claim : lost) {
      pause = Math.min(pause, claim.dueAt() - clock.getAsLong());
    }
    return Math.max(pause, 0);
  }

  /** Releases attempts. Returns those that did not hold their jobs, or whose rows were locked. */
  private List<Requeue> notReleased(List<Requeue> attempts) {
    List<Ended> ended;
    try {
      ended = requeue.apply(attempts);
    } catch (StoreException refused) {
      if (DatabaseWatch.isAway(refused)) {
        throw refused;
      }
      return attempts; // other jobs must still be claimed
    }
    List<Requeue> notHeld = new ArrayList<>();
    for (int i = 0; i < attempts.size(); i++) {
      if (ended.get(i).verdict() != Verdict.DONE) {
        notHeld.add(attempts.get(i));
      }
    }
    if (notHeld.size() < attempts.size()) {
      reportReleased.accept(attempts.size() - notHeld.size());
    }
    return notHeld;
  }
}
