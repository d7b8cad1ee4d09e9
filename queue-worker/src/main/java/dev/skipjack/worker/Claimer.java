package dev.skipjack.worker;

import dev.skipjack.api.StoreException;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.DueLane;
import dev.skipjack.api.spi.DueLanes;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LaneShare;
import dev.skipjack.api.spi.UnknownClaimException;
import dev.skipjack.worker.LaneChooser.Choice;
import dev.skipjack.worker.LaneChooser.Hints;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Claims jobs from the lanes that are known to have due jobs. A lane that returned fewer jobs than
 * requested is skipped until the next listing. Otherwise, jobs that only other workers can handle
 * would keep it from claiming in the lanes that follow. The caller may name lanes in which it
 * expects jobs.
 *
 * <p>If the database is slow, the claimer uses low-water marks, claims from the skipped lanes as
 * well, and lists the lanes only at each sweep. A claim with marks that returns no job is followed
 * by a sweep, or by a claim from the idle lanes if a sweep would take more than its share of the
 * time.
 *
 * <p>A claim that does not fit into memory is repeated for fewer jobs, as {@link ClaimSize}
 * determines.
 *
 * <p>A claim that will probably return few jobs is limited to {@link #FEW}, so that it can be
 * committed in one round trip. {@link #takeLost} returns whether the response of such a claim was
 * lost.
 *
 * <p>Used by one thread at a time, except {@link #stop}.
 */
final class Claimer {

  /**
   * The maximum number of jobs in a claim that is committed before its jobs have arrived. If they
   * do not arrive, each of them waits about a second and gets one more audit row.
   */
  static final int FEW = 16;

  /**
   * How long a list of lanes is used while its lanes have jobs, or longer if listings are slow. A
   * new lane of higher priority may go unnoticed for that long.
   */
  private static final long LANES_TRUSTED = Duration.ofMillis(100).toNanos();

  /**
   * The maximum time for which a list of lanes is used. It ensures that one slow listing, for
   * example one that waited for a connection, does not hide new lanes for minutes.
   */
  private static final long LANES_TRUSTED_LONGEST = Duration.ofSeconds(2).toNanos();

  /**
   * How long the worker may claim without a listing, from lanes that wake-ups or earlier claims
   * named, or longer if listings are slow. A job in another lane may go unnoticed for that long.
   */
  private static final long UNLISTED = Duration.ofMillis(20).toNanos();

  /** How long after a lane's last job the worker expects another one in it. */
  private static final long WARM = Duration.ofMillis(100).toNanos();

  /**
   * Limits listings to about a twentieth of the time, unless one takes more than a tenth of a
   * second.
   */
  private static final int TRUSTED_BY_DURATION = 20;

  /**
   * How long after a claim that did not fit into memory all claims are committed only after their
   * jobs have arrived. The jobs of that claim may be lost. They are released within this period,
   * and must not be lost again.
   */
  private static final long AFTER_TOO_LARGE = Duration.ofMinutes(1).toNanos();

  private static final Hints NO_HINTS = lane -> null;

  /** The maximum number of jobs in a claim from a fair or limited queue. */
  private static final int MOST_GROUPED = 250;

  private final JobStore store;
  private final WorkerId worker;
  private final List<String> kinds;
  private final Duration lease;
  private final Map<String, ServedQueue> queues;
  private final List<String> queueNames;
  private final LaneChooser chooser;
  private final LowWaterMarks marks;
  private final ClaimSize size;
  private final LongSupplier clock;
  private final Watch watch;
  private final GroupClaims groups;
  private final KnownLanes lanes = new KnownLanes();

  /** The queues that are fair or limited. */
  private Set<String> grouped = Set.of();

  private Set<String> limited = Set.of();

  /**
   * All queues. The first is the one that has waited longest for its turn as a fair or limited
   * queue.
   */
  private final List<String> turnOfQueues;

  /** The failure of a claim from a further lane, after jobs of a first lane had been claimed. */
  private @Nullable Throwable postponed;

  /** Whether the next claim begins with the fair and limited queues. */
  private boolean groupedFirst;

  private long listedAt;
  private boolean toldOfLanes;
  private boolean expectsAgain;
  private boolean unlisted; // whether a claim since the last listing did not need the list
  private long unlistedSince;
  private long listingNanos;

  /**
   * Whether a call of the store has failed since the last listing. The next one may have to wait
   * for a connection, so its duration does not count.
   */
  private boolean recovering;

  private boolean asked;

  /** Whether the last claim returned few jobs, so that the next one probably does too. */
  private boolean expectsFew;

  private boolean mayBeLost;
  private long carefulUntil;
  private boolean isCareful;
  private volatile boolean stopped;

  /**
   * @param clock a clock in nanoseconds, such as {@link System#nanoTime()}
   * @param watch is notified of listings, claims, and claims that were too large
   */
  Claimer(
      JobStore store,
      WorkerId worker,
      List<String> kinds,
      Duration lease,
      Map<String, ServedQueue> queues,
      LaneOrder order,
      LowWaterMarks marks,
      PayloadBudget payloads,
      LongSupplier clock,
      Watch watch) {
    this.store = store;
    this.worker = worker;
    this.kinds = kinds;
    this.lease = lease;
    this.queues = queues;
    this.queueNames = List.copyOf(queues.keySet());
    this.turnOfQueues = new ArrayList<>(queueNames);
    this.chooser = new LaneChooser(queueNames, order);
    this.marks = marks;
    this.size = new ClaimSize(payloads);
    this.clock = clock;
    this.watch = watch;
    this.carefulUntil = clock.getAsLong();
    this.groups = new GroupClaims(store, worker, kinds, lease, new Random(), clock);
  }

  /** Receives notifications of listings and claims. */
  interface Watch {

    /** Ignores all notifications. */
    Watch NOBODY =
        new Watch() {
          @Override
          public void listed(DueLanes due) {}

          @Override
          public void claimed(long nanos) {}

          @Override
          public void tooLarge(int limit, Throwable failure) {}
        };

    /** Called when the lanes have been listed. */
    void listed(DueLanes due);

    /** Called after a claim, with its duration. */
    void claimed(long nanos);

    /**
     * Called if a claim of at most {@code limit} jobs did not fit into memory, or the server
     * refused to send it.
     */
    void tooLarge(int limit, Throwable failure);
  }

  /**
   * Claims jobs from the first lanes that have due jobs. Returns an empty list if it finds no job
   * for this worker in the known lanes.
   *
   * @param room the maximum number of jobs by queue, each at least 1
   * @param most the maximum number of jobs in total
   */
  List<Attempt> claim(Map<String, Integer> room, int most) {
    asked = false;
    try {
      throwPostponed();
      long now = clock.getAsLong();
      lanes.expect(groups.askAgain(now), now);
      if (marks.inForce()) {
        if (!marks.isSweepDue(now)) {
          List<Attempt> claimed = claim(room, most, lane -> marks.of(lane, now));
          if (!claimed.isEmpty()) {
            return claimed;
          }
          if (!marks.isSweepAffordable(clock.getAsLong())) {
            return claim(room, most, lane -> marks.ofIdle(lane, now));
          }
        }
        list();
      } else if (mustList(room, now)) {
        list();
      } else if (expectsAgain) {
        List<Attempt> claimed = claim(room, most, NO_HINTS);
        if (!claimed.isEmpty()) {
          return claimed;
        }
        list();
      }
      return claim(room, most, NO_HINTS);
    } catch (StoreException failed) {
      marks.clear();
      recovering = true;
      throw failed;
    } finally {
      toldOfLanes = false; // lanes that were named apply to one claim only
      expectsAgain = false;
    }
  }

  private void throwPostponed() {
    Throwable failure = postponed;
    postponed = null;
    if (failure instanceof StoreException refused) {
      throw refused;
    }
    if (failure instanceof OutOfMemoryError error) {
      throw error;
    }
  }

  private boolean mustList(Map<String, Integer> room, long now) {
    if (!expectsMore(room)) {
      return true;
    }
    if (!toldOfLanes && !expectsAgain) {
      return now - listedAt > trusted(LANES_TRUSTED);
    }
    if (!unlisted) {
      unlisted = true; // the first of these claims does not list, even if the list is old
      unlistedSince = now;
    }
    return now - unlistedSince > trusted(UNLISTED);
  }

  /**
   * Returns whether the last {@link #claim} sent a statement. Returns false if no lane was known
   * and it was too early for a listing.
   */
  boolean asked() {
    return asked;
  }

  /**
   * Lists the lanes for a worker without room for more jobs, to measure how long jobs have waited.
   * Does nothing if the last listing is more recent than {@code interval} nanoseconds, or a listing
   * would take more than its share of the time.
   *
   * @return whether the lanes were listed
   */
  boolean look(long interval) {
    long now = clock.getAsLong();
    if (now - listedAt < interval || (marks.inForce() && !marks.isSweepAffordable(now))) {
      return false;
    }
    try {
      list();
      return true;
    } catch (StoreException failed) {
      marks.clear();
      recovering = true;
      throw failed;
    }
  }

  private long trusted(long atLeast) {
    long trusted = Math.max(atLeast, TRUSTED_BY_DURATION * listingNanos);
    return Math.min(trusted, LANES_TRUSTED_LONGEST);
  }

  private void list() {
    asked = true;
    long began = clock.getAsLong();
    DueLanes due = store.dueLanes(queueNames);
    listedAt = clock.getAsLong();
    listingNanos = recovering ? 0 : listedAt - began;
    recovering = false;
    unlisted = false;
    watch.listed(due);
    Set<Lane> listed = new HashSet<>();
    for (DueLane lane : due.lanes()) {
      listed.add(lane.lane());
    }
    Set<String> paused = Set.copyOf(due.paused());
    queues.values().forEach(queue -> queue.paused(paused.contains(queue.name())));
    grouped = due.grouped();
    limited = due.limited();
    groups.keep(grouped);
    for (ServedQueue queue : queues.values()) {
      queue.grouped(
          grouped.contains(queue.name()),
          limited.contains(queue.name()) ? groups::permitFreed : null);
    }
    marks.sweep(began, listingNanos, listed, paused);
    lanes.list(due, marks::has, listedAt);
  }

  /** Adds lanes in which wake-ups reported a job, so that it can be claimed without a listing. */
  void expect(List<Lane> heard) {
    lanes.expect(heard, clock.getAsLong());
    toldOfLanes = true;
  }

  /**
   * Makes the next claim read, if possible without a listing, those lanes of these queues that
   * returned jobs a moment ago. Has no effect if a single claim cannot read all of these lanes. It
   * also has no effect if the database is slow, because claims with low-water marks read all lanes.
   */
  void expectAgain(Set<String> queues) {
    expectsAgain = !marks.inForce() && lanes.expectAgain(queues, clock.getAsLong() - WARM);
  }

  /**
   * Returns whether a job that is enqueued now must wait for a claim, because the queue may have
   * other due jobs, or because a search for them would read many dead index entries.
   */
  boolean mustClaimFirst(String queue) {
    return grouped.contains(queue) || marks.skipDeadEntries() || lanes.expectMore(Set.of(queue));
  }

  /**
   * Makes a {@link #claim} send no further claim, even if it is listing the lanes now, because the
   * worker stops and would have to release the jobs. May be called by any thread.
   */
  void stop() {
    stopped = true;
  }

  /** Returns whether any of the known lanes of these queues may have more jobs. */
  boolean expectsMore(Map<String, Integer> room) {
    return lanes.expectMore(room.keySet());
  }

  /** Returns whether a claim since the last call may have claimed jobs that it did not return. */
  boolean takeLost() {
    boolean lost = mayBeLost;
    mayBeLost = false;
    return lost;
  }

  /**
   * Returns how many nanoseconds to wait at most until fair or limited queues must be searched
   * again.
   */
  long pause(long now) {
    return groups.pause(now);
  }

  private List<Attempt> claim(Map<String, Integer> room, int most, Hints hints) {
    if (stopped) {
      return List.of();
    }
    if (grouped.isEmpty()) {
      return claimPlain(room, most, hints);
    }
    Map<String, Integer> ofGroups = new LinkedHashMap<>(room);
    ofGroups.keySet().retainAll(grouped);
    Map<String, Integer> plain = new LinkedHashMap<>(room);
    plain.keySet().removeAll(grouped);
    groupedFirst = !groupedFirst; // neither kind of queue can keep the other waiting
    List<Attempt> claimed = groupedFirst ? claimGroups(ofGroups, most) : List.of();
    if (claimed.isEmpty()) {
      claimed = claimPlain(plain, most, hints);
    }
    return claimed.isEmpty() && !groupedFirst ? claimGroups(ofGroups, most) : claimed;
  }

  /** Claims from the fair or limited queue that has waited longest for its turn. */
  private List<Attempt> claimGroups(Map<String, Integer> room, int most) {
    for (String queue : List.copyOf(turnOfQueues)) {
      int wanted = Math.min(room.getOrDefault(queue, 0), slotsOf(queue));
      if (wanted > 0 && lanes.expectMore(Set.of(queue))) {
        turnOfQueues.remove(queue);
        turnOfQueues.add(queue);
        List<Attempt> claimed = claimGroups(queue, Math.min(wanted, Math.min(most, MOST_GROUPED)));
        if (!claimed.isEmpty()) {
          return claimed;
        }
      }
    }
    return List.of();
  }

  /** Returns how many jobs of a limited queue can start at once. None may wait for a slot. */
  private int slotsOf(String queue) {
    return limited.contains(queue) ? slotsOf(queue, 0) : ClaimRequest.LARGEST;
  }

  /** Searches for the due jobs that limits hold. */
  List<GroupClaims.Held> held() {
    return groups.held();
  }

  private List<Attempt> claimGroups(String queue, int wanted) {
    int room = size.most(wanted);
    Choice choice = chooser.choose(lanes, Map.of(queue, room), room, NO_HINTS, clock.getAsLong());
    if (choice.shares().isEmpty()) {
      return List.of();
    }
    asked = true;
    List<ClaimedJob> jobs = new ArrayList<>();
    List<Attempt> claimed = new ArrayList<>();
    List<LaneShare> read = new ArrayList<>();
    List<Lane> expected = new ArrayList<>();
    long began = clock.getAsLong();
    for (LaneShare share : choice.shares()) {
      int left = Math.min(share.cap(), choice.limit() - jobs.size());
      if (left == 0 || postponed != null) {
        break;
      }
      Grouped brought = claimGroups(share.lane(), left, jobs.size());
      GroupClaims.Result result = brought.result();
      read.add(share);
      jobs.addAll(result.jobs());
      List<Attempt> attempts = attempts(result.jobs(), result.sentAt());
      if (result.isLimited()) {
        attempts.forEach(Attempt::limited);
      }
      if (brought.unread() != null) {
        attempts.forEach(attempt -> attempt.unread(brought.unread()));
      }
      claimed.addAll(attempts);
      if (result.hasMore()) {
        expected.add(share.lane());
      }
    }
    ClaimRequest request = new ClaimRequest(worker, read, kinds, choice.limit(), lease);
    long now = clock.getAsLong();
    ClaimAnswer answer = new ClaimAnswer(request, jobs, now - began);
    watch.claimed(answer.nanos());
    lanes.claimed(answer, now);
    chooser.claimed(answer);
    lanes.expect(expected, now);
    return claimed;
  }

  /**
   * The result of a claim from one lane of a fair or limited queue.
   *
   * @param unread why the payloads of the jobs could not be fetched; null if they were
   */
  private record Grouped(GroupClaims.Result result, @Nullable Throwable unread) {}

  /**
   * Claims from one lane.
   *
   * @param before how many jobs have been claimed from other lanes. If there are any, a failure is
   *     thrown by the next claim, so that these jobs are not lost
   */
  private Grouped claimGroups(Lane lane, int most, int before) {
    try {
      GroupClaims.Result result = groups.claim(lane, most, slotsOf(lane.queue(), before));
      size.brought(result.jobs());
      return new Grouped(result, null);
    } catch (StoreException | OutOfMemoryError failure) {
      boolean isTooLarge = ClaimSize.isTooLarge(failure);
      if (isTooLarge) {
        watch.tooLarge(most, failure);
        size.failed(most, failure);
      }
      if (isTooLarge && most > 1) {
        return new Grouped(GroupClaims.NONE, null);
      }
      if (before > 0) {
        postponed = failure;
        return new Grouped(GroupClaims.NONE, null);
      }
      if (!isTooLarge || !size.isHopeless(failure)) {
        throw failure;
      }
      GroupClaims.Result unread = groups.claimWithoutPayload(lane);
      size.worked();
      return new Grouped(unread, failure);
    }
  }

  /** Returns how many jobs of a queue can begin at once, after others have been claimed. */
  private int slotsOf(String queue, int claimed) {
    ServedQueue served = queues.get(queue);
    return isCareful || served == null ? 1 : Math.max(served.freeSlots() - claimed, 0);
  }

  private List<Attempt> claimPlain(Map<String, Integer> room, int most, Hints hints) {
    List<Attempt> claimed = List.of();
    do {
      boolean few = mayTakeFew() && hints == NO_HINTS && lanes.expectOne(room.keySet());
      int largest = size.most(Math.min(most, few ? FEW : ClaimRequest.LARGEST));
      Choice choice = chooser.choose(lanes, room, largest, hints, clock.getAsLong());
      if (choice.shares().isEmpty()) {
        break;
      }
      claimed = claim(choice);
      // Each claim that returns no job exhausts a lane or was too large, so the loop ends.
    } while (claimed.isEmpty() && expectsMore(room));
    return claimed;
  }

  private List<Attempt> claim(Choice choice) {
    asked = true;
    ClaimRequest request = new ClaimRequest(worker, choice.shares(), kinds, choice.limit(), lease);
    long sentAt = System.nanoTime();
    long began = clock.getAsLong();
    boolean wasLost = mayBeLost;
    mayBeLost = true; // until it is known what was claimed
    try {
      List<ClaimedJob> jobs = fetch(request);
      size.brought(jobs);
      List<Attempt> attempts = attempts(request, jobs, sentAt, began);
      mayBeLost = wasLost;
      return attempts;
    } catch (StoreException | OutOfMemoryError failure) {
      if (failure instanceof UnknownClaimException || isUndone(failure)) {
        mayBeLost = wasLost;
      }
      if (!ClaimSize.isTooLarge(failure)) {
        throw failure;
      }
      watch.tooLarge(request.limit(), failure);
      carefulUntil = clock.getAsLong() + AFTER_TOO_LARGE;
      size.failed(request.limit(), failure);
      if (request.limit() > 1) {
        return List.of();
      }
      if (!size.isHopeless(failure)) {
        throw failure;
      }
      return withoutPayload(request, failure);
    }
  }

  private List<ClaimedJob> fetch(ClaimRequest request) {
    boolean few = mayTakeFew() && request.limit() <= FEW;
    expectsFew = false;
    List<ClaimedJob> jobs = few ? store.claimFew(request) : store.claim(request);
    expectsFew = jobs.size() < FEW;
    return jobs;
  }

  /**
   * Makes all claims commit after their jobs have arrived, for a caller that does not search for
   * lost jobs.
   */
  Claimer carefully() {
    isCareful = true;
    return this;
  }

  private boolean mayTakeFew() {
    return !isCareful && expectsFew && size.isSmall() && clock.getAsLong() - carefulUntil >= 0;
  }

  private static boolean isUndone(Throwable failure) {
    return failure instanceof StoreException refused && !refused.isOutcomeUnknown();
  }

  /**
   * Claims the job whose payload cannot be fetched, so that it does not block the jobs behind it.
   */
  private List<Attempt> withoutPayload(ClaimRequest request, Throwable why) {
    long sentAt = System.nanoTime();
    long began = clock.getAsLong();
    List<ClaimedJob> jobs = store.claimWithoutPayload(request);
    size.worked();
    List<Attempt> attempts = attempts(request, jobs, sentAt, began);
    attempts.forEach(attempt -> attempt.unread(why));
    return attempts;
  }

  private List<Attempt> attempts(
      ClaimRequest request, List<ClaimedJob> jobs, long sentAt, long began) {
    long now = clock.getAsLong();
    watch.claimed(now - began);
    ClaimAnswer answer = new ClaimAnswer(request, jobs, now - began);
    marks.claimed(answer, now);
    lanes.claimed(answer, now);
    chooser.claimed(answer);
    return attempts(jobs, sentAt);
  }

  private List<Attempt> attempts(List<ClaimedJob> jobs, long sentAt) {
    List<Attempt> attempts = new ArrayList<>(jobs.size());
    for (ClaimedJob job : jobs) {
      ServedQueue queue = queues.get(job.queue());
      if (queue == null) {
        throw new IllegalStateException(
            "A job of queue '%s' was claimed, but the claim did not request that queue."
                .formatted(job.queue()));
      }
      attempts.add(new Attempt(job, queue, lease, sentAt));
    }
    return attempts;
  }
}
