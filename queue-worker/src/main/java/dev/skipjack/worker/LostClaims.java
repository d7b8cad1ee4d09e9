package dev.skipjack.worker;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Ended;
import dev.skipjack.api.spi.Requeue;
import dev.skipjack.api.spi.UnknownClaimException;
import dev.skipjack.api.spi.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Releases the jobs of claims whose connection broke during the commit. If such a claim was
 * committed, its jobs would otherwise wait until their leases expire.
 *
 * <p>The jobs of a lost direct start, and of a lost claim that was committed in one round trip, are
 * unknown. The worker searches for them: a job is lost if two searches, at least a second apart,
 * find that this worker holds it in the database, while none of its attempts is known. Until the
 * second search, enqueues in progress may start their jobs. An enqueue that takes longer can no
 * longer start its job ({@link RunningJobs#giveUp}).
 *
 * <p>The attempts are released without being counted. Each is named by its execution id, so a later
 * claim of the same job is never affected, even if the same worker made it. The server may commit
 * the claim after the release, for example if it has not noticed yet that the connection broke. The
 * release of attempts that do not hold their jobs is therefore repeated, at growing intervals,
 * until their leases would have expired.
 *
 * <p>Safe for any number of threads; {@link #search} does not block.
 */
final class LostClaims {

  private static final long SHORTEST_PAUSE = Duration.ofSeconds(1).toNanos();

  private static final int BATCH = 200;

  /** How many groups of losses are distinguished in the time of a lease. */
  private static final int LOSSES_PER_LEASE = 8;

  /** The maximum number of jobs that one statement finds. */
  private static final int PAGE = 1_000;

  /** Finds the running jobs of this worker after an execution. */
  @FunctionalInterface
  interface Finder {

    /** A finder that finds no jobs. */
    Finder NONE = (after, limit) -> List.of();

    /** Returns the first jobs after an execution, at most {@code limit}. */
    List<ClaimedJob> find(ExecutionId after, int limit);
  }

  private final Finder finder;
  private final RunningJobs running;
  private final Function<List<Requeue>, List<Ended>> requeue;
  private final long lease;
  private final LongSupplier clock;
  private final IntConsumer reportReleased;
  private List<Lost> lost = new ArrayList<>();
  private final Queue<ExecutionId> lostAfter = new ConcurrentLinkedQueue<>();
  private @Nullable Search search;

  /**
   * @param finder finds the jobs that this worker holds in the database
   * @param running the attempts that this worker knows
   * @param requeue ends attempts without counting them
   * @param lease the duration of the leases that claims request
   * @param clock a clock in nanoseconds, such as {@link System#nanoTime()}
   * @param reportReleased receives the number of jobs that were released
   */
  LostClaims(
      Finder finder,
      RunningJobs running,
      Function<List<Requeue>, List<Ended>> requeue,
      Duration lease,
      LongSupplier clock,
      IntConsumer reportReleased) {
    this.finder = finder;
    this.running = running;
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

  /**
   * Responses that were lost at about the same time.
   *
   * @param after the latest execution that was known before the first of them
   * @param first when the first of them was lost
   * @param last when the last of them was lost
   */
  private record Losses(ExecutionId after, long first, long last) {}

  /**
   * A search for jobs that this worker holds without knowing them.
   *
   * @param losses the losses whose leases may still be valid, oldest first
   * @param dueAt when to search next
   * @param suspects the executions that the last search found and that this worker did not hold
   */
  private record Search(List<Losses> losses, long dueAt, Set<ExecutionId> suspects) {

    /** Returns the execution after which to search; all suspects and lost executions come later. */
    ExecutionId after() {
      return new ExecutionId(
          LongStream.concat(
                  losses.stream().mapToLong(each -> each.after().value()),
                  suspects.stream().mapToLong(id -> id.value() - 1))
              .min()
              .orElse(Long.MAX_VALUE));
    }

    /** Returns how long ago a response was last lost. */
    long age(long now) {
      return losses.stream().mapToLong(each -> now - each.last()).min().orElse(Long.MAX_VALUE);
    }
  }

  /** Returns the latest known execution, for {@link #search}. */
  ExecutionId latest() {
    return running.latest();
  }

  /**
   * Makes {@link #release()} search for jobs that this worker holds without knowing them.
   *
   * @param after the {@linkplain #latest() latest} execution before the statement was sent
   */
  void search(ExecutionId after) {
    lostAfter.add(after);
  }

  /** Adds the jobs of a claim. They are released by the next {@link #release()}. */
  synchronized void add(UnknownClaimException failure) {
    long now = clock.getAsLong();
    add(failure.jobs(), now);
  }

  private void add(List<ClaimedJob> jobs, long now) {
    List<Requeue> attempts = jobs.stream().map(LostClaims::released).toList();
    for (int from = 0; from < attempts.size(); from += BATCH) {
      int to = Math.min(from + BATCH, attempts.size());
      lost.add(new Lost(attempts.subList(from, to), now, now));
    }
  }

  /**
   * Returns the release of a job, whose due time does not change, because no handler was called.
   */
  private static Requeue released(ClaimedJob job) {
    return Requeue.until(job.execution(), ExecutionStatus.RELEASED, job.scheduledAt());
  }

  /**
   * Searches for lost jobs, and releases those that are due.
   *
   * @return whether the database was used
   * @throws StoreException if the database is unavailable
   */
  boolean release() {
    return release(false);
  }

  /** Releases the jobs of lost claims for the last time, also those that were found only once. */
  void releaseLast() {
    boolean unused = release(true);
  }

  private synchronized boolean release(boolean last) {
    boolean searched = search(last);
    if (lost.isEmpty()) {
      return searched;
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
    return asked || searched;
  }

  private boolean search(boolean last) {
    long now = clock.getAsLong();
    for (ExecutionId next = lostAfter.poll(); next != null; next = lostAfter.poll()) {
      search = withLoss(search == null ? new Search(List.of(), now, Set.of()) : search, next, now);
    }
    Search current = search;
    if (current == null || (current.dueAt() - now > 0 && !last)) {
      return false;
    }
    List<ClaimedJob> found;
    try {
      found = held(current.after());
    } catch (StoreException refused) {
      if (DatabaseWatch.isAway(refused)) {
        throw refused;
      }
      found = List.of(); // the failure must not keep the loop from claiming
    }
    Set<ExecutionId> suspects = new HashSet<>();
    List<ClaimedJob> stray = new ArrayList<>();
    for (ClaimedJob job : found) {
      ExecutionId id = job.execution().id();
      if (running.holds(id)) {
        continue;
      }
      if (!last && !current.suspects().contains(id)) {
        suspects.add(id);
      } else if (running.giveUp(job.execution(), lease)) {
        stray.add(job);
      }
    }
    add(stray, now);
    long pause =
        suspects.isEmpty() ? Math.max(SHORTEST_PAUSE, current.age(now) / 2) : SHORTEST_PAUSE;
    List<Losses> left =
        current.losses().stream().filter(each -> now - each.last() < lease).toList();
    search = suspects.isEmpty() && left.isEmpty() ? null : new Search(left, now + pause, suspects);
    return true;
  }

  private Search withLoss(Search current, ExecutionId after, long now) {
    List<Losses> losses = new ArrayList<>(current.losses());
    int latest = losses.size() - 1;
    if (latest >= 0 && now - losses.get(latest).first() < lease / LOSSES_PER_LEASE) {
      Losses same = losses.remove(latest);
      long earlier = Math.min(same.after().value(), after.value());
      losses.add(new Losses(new ExecutionId(earlier), same.first(), now));
    } else {
      losses.add(new Losses(after, now, now));
    }
    return new Search(losses, current.dueAt(), current.suspects());
  }

  private List<ClaimedJob> held(ExecutionId after) {
    List<ClaimedJob> all = new ArrayList<>();
    List<ClaimedJob> page = finder.find(after, PAGE);
    all.addAll(page);
    while (page.size() == PAGE) {
      page = finder.find(page.get(PAGE - 1).execution().id(), PAGE);
      all.addAll(page);
    }
    return all;
  }

  /** Returns the nanoseconds until {@link #release()} must be called, but at most {@code most}. */
  synchronized long pause(long most) {
    if (!lostAfter.isEmpty()) {
      return 0;
    }
    long pause = search == null ? most : Math.min(most, search.dueAt() - clock.getAsLong());
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
      return attempts; // the failure must not keep the loop from claiming
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
