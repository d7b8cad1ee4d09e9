package dev.skipjack.torture;

import dev.skipjack.api.OrderingPolicy;
import dev.skipjack.torture.FinalRead.ExecutionRow;
import dev.skipjack.torture.FinalRead.JobRow;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds jobs of an ordering key that ran at the same time or in the wrong order, according to the
 * audit and the times at which handlers started.
 *
 * <p>A job holds its key from its first attempt until it ends, so no other job of the key may start
 * in that time. If a job was acknowledged before the enqueue of another job was requested, the
 * other job must not start before it. Uncertain facts are not used. A job whose enqueue was not
 * acknowledged precedes no other job. If a job may have been redriven more than once, each of its
 * attempts is checked separately.
 */
final class OrderCheck {

  /** The clocks of two processes may differ by a lease divided by this number. */
  private static final int SLACK_DIVISOR = 10;

  private static final long NEVER = Long.MAX_VALUE;

  /** The statuses of attempts that owned their job when their handler ended. */
  private static final Set<String> OWNED = Set.of("succeeded", "failed", "snoozed", "dead");

  /**
   * An event and its number in the history.
   *
   * @param number the number, which is larger than those of earlier events of the same process
   */
  private record Moment(Event event, int number) {

    long micros() {
      return event.micros();
    }

    boolean is(EventType type) {
      return event.type() == type;
    }

    boolean hasProcessOf(Moment other) {
      return event.process().equals(other.event.process());
    }
  }

  /**
   * The time from a job's enqueue or redrive until it ends or is dead.
   *
   * @param requested the request; null if the job's position among the others is unknown
   * @param acknowledged the acknowledgement; null if it is uncertain
   * @param placed whether the job's position is known; false for a redriven job, which may have
   *     kept the key or be behind the jobs that were acknowledged before
   * @param left when the job gave up the key; 0 if unknown
   */
  private record Stay(
      JobRow job,
      @Nullable Moment requested,
      @Nullable Moment acknowledged,
      boolean placed,
      List<ExecutionRow> attempts,
      long left) {

    boolean isFirst() {
      return placed && requested != null;
    }

    long firstStart() {
      return attempts.isEmpty() ? NEVER : attempts.get(0).started();
    }
  }

  private final CheckedRun run;
  private final long slack;
  private final Map<String, Moment> requests = new HashMap<>();
  private final Map<Long, Moment> acknowledgements = new HashMap<>();
  private final Map<Long, Event> starts = new HashMap<>();
  private final Map<Long, Event> ends = new HashMap<>();
  private final Map<Long, List<Moment>> redrives = new HashMap<>();
  private final Map<String, List<Event>> unblocks = new HashMap<>();
  private final List<Violation> violations = new ArrayList<>();

  private OrderCheck(CheckedRun run, Pace pace) {
    this.run = run;
    this.slack = pace.lease().toNanos() / 1_000 / SLACK_DIVISOR;
    int number = 0;
    for (Event event : run.events) {
      Moment moment = new Moment(event, number++);
      switch (event.type()) {
        case REQUESTED -> requests.putIfAbsent(event.key(), moment);
        case ACKNOWLEDGED -> acknowledgements.putIfAbsent(event.job(), moment);
        case STARTED -> starts.putIfAbsent(event.execution(), event);
        case ENDED -> ends.put(event.execution(), event);
        case REDRIVE_REQUESTED, REDRIVE_RETURNED ->
            redrives.computeIfAbsent(event.job(), job -> new ArrayList<>()).add(moment);
        case UNBLOCK_REQUESTED ->
            unblocks.computeIfAbsent(event.detail(), key -> new ArrayList<>()).add(event);
        default -> {} // does not concern the order
      }
    }
  }

  static List<Violation> check(CheckedRun run, Pace pace) {
    OrderCheck check = new OrderCheck(run, pace);
    Map<String, List<JobRow>> keys = new TreeMap<>();
    for (List<JobRow> rows : run.jobs.values()) {
      JobRow job = rows.get(0);
      if (!job.ordering().isEmpty()) {
        keys.computeIfAbsent(job.ordering(), key -> new ArrayList<>()).add(job);
      }
    }
    keys.values().forEach(check::checkKey);
    return check.violations;
  }

  private void checkKey(List<JobRow> jobs) {
    List<Stay> stays = new ArrayList<>();
    jobs.forEach(job -> stays.addAll(stays(job)));
    List<ExecutionRow> attempts =
        stays.stream()
            .flatMap(stay -> stay.attempts.stream())
            .sorted(Comparator.comparingLong(ExecutionRow::started))
            .toList();
    for (Stay later : stays) {
      boolean placed = later.placed || othersRanBefore(later, attempts);
      for (Stay earlier : stays) {
        if (earlier.job.id() != later.job.id()) {
          check(earlier, later, placed && precedes(earlier, later));
        }
      }
    }
    for (JobRow job : jobs) {
      boolean parked = mayBeParked(job) && job.status().equals("dead") && hasAttemptsLeft(job);
      if (parked && jobs.stream().noneMatch(other -> other.id() != job.id() && hasDied(other))) {
        violated(job, "The job was parked, but no other job of its key has died.");
      }
    }
  }

  /** Returns whether a job may be dead with attempts left because it was parked. */
  static boolean mayBeParked(JobRow job) {
    return !job.ordering().isEmpty() && Work.policy(job.ordering()) == OrderingPolicy.PARK;
  }

  private static boolean hasAttemptsLeft(JobRow job) {
    return job.attempts() - job.uncountedAttempts() < job.maxAttempts();
  }

  private static boolean hasDied(JobRow job) {
    return job.attempts() >= job.maxAttempts();
  }

  /**
   * @param before whether {@code earlier} was certainly ahead of {@code later}
   */
  private void check(Stay earlier, Stay later, boolean before) {
    for (ExecutionRow attempt : later.attempts) {
      boolean behind = before || attempt.started() >= earlier.firstStart();
      if (behind && attempt.started() < earlier.left) {
        violated(
            later.job,
            attempt.started() >= earlier.firstStart()
                ? "An attempt started while job %d held the ordering key."
                    .formatted(earlier.job.id())
                : "An attempt started before job %d, which is in front of it, had run."
                    .formatted(earlier.job.id()));
      } else if (behind && handlerStartedBefore(attempt, earlier)) {
        violated(
            later.job,
            "A handler started before that of job %d, which is in front of it, had ended."
                .formatted(earlier.job.id()));
      }
    }
  }

  /**
   * Returns whether {@code earlier} was certainly in front of {@code later}: it was acknowledged
   * before {@code later} was requested, or all enqueues of the key are strict and its id is
   * smaller.
   */
  private boolean precedes(Stay earlier, Stay later) {
    if (Work.isStrict(earlier.job.ordering()) && earlier.isFirst() && later.isFirst()) {
      return earlier.job.id() < later.job.id();
    }
    Moment from = earlier.acknowledged;
    Moment request = earlier.requested;
    Moment to = later.requested;
    if (from == null || request == null || to == null) {
      return false;
    }
    // The jobs of one call are requested in their order and acknowledged together.
    return from.hasProcessOf(to)
        ? request.number < to.number && (from.number < to.number || earlier.placed)
        : from.micros() + slack < to.micros();
  }

  /** Returns whether other jobs ran before a redriven job, so that it must have lost its key. */
  private static boolean othersRanBefore(Stay redriven, List<ExecutionRow> attempts) {
    Moment requested = redriven.requested;
    return requested != null
        && attempts.stream()
            .anyMatch(
                other ->
                    other.job() != redriven.job.id()
                        && other.started() > requested.micros()
                        && other.started() < redriven.firstStart());
  }

  /**
   * Returns whether a handler started before the end of the previous one. Ignores attempts that
   * lost their job, because their handlers may be zombies.
   */
  private boolean handlerStartedBefore(ExecutionRow attempt, Stay earlier) {
    Event start = starts.get(attempt.id());
    if (start == null || earlier.attempts.isEmpty()) {
      return false;
    }
    ExecutionRow last = earlier.attempts.get(earlier.attempts.size() - 1);
    Event end = ends.get(last.id());
    return end != null
        && OWNED.contains(last.status())
        && last.started() <= attempt.started()
        && start.micros() + (start.process().equals(end.process()) ? 0 : slack) < end.micros();
  }

  private List<Stay> stays(JobRow job) {
    List<ExecutionRow> attempts = run.attempts(job.id());
    List<Moment> ofJob = redrives.getOrDefault(job.id(), List.of());
    Moment requested = requests.get(job.key());
    boolean known = run.jobsByKey.getOrDefault(job.key(), List.of()).size() == 1;
    Moment acknowledged = known ? acknowledgements.get(job.id()) : null;
    if (ofJob.isEmpty() || keptItsPlace(job, attempts, ofJob)) {
      return List.of(
          new Stay(job, known ? requested : null, acknowledged, true, attempts, left(job)));
    }
    List<Moment> successes =
        ofJob.stream().filter(one -> one.event.detail().equals(Operator.REDRIVEN)).toList();
    long calls = ofJob.stream().filter(one -> one.is(EventType.REDRIVE_REQUESTED)).count();
    if (successes.size() != 1 || calls * 2 != ofJob.size()) {
      return attempts.stream().map(attempt -> alone(job, attempt)).toList();
    }
    Moment returned = successes.get(0);
    Moment redrive =
        ofJob.stream()
            .filter(one -> one.is(EventType.REDRIVE_REQUESTED) && one.hasProcessOf(returned))
            .filter(one -> one.number < returned.number)
            .reduce((one, next) -> next)
            .orElse(returned);
    List<ExecutionRow> first =
        attempts.stream().filter(attempt -> attempt.started() < redrive.micros()).toList();
    List<ExecutionRow> second = attempts.subList(first.size(), attempts.size());
    long died = first.isEmpty() ? 0 : first.get(first.size() - 1).finished();
    return List.of(
        new Stay(job, known ? requested : null, acknowledged, true, first, died),
        new Stay(job, redrive, returned, false, second, left(job)));
  }

  private static Stay alone(JobRow job, ExecutionRow attempt) {
    long finished = attempt.finished() == 0 ? NEVER : attempt.finished();
    return new Stay(job, null, null, true, List.of(attempt), finished);
  }

  /** Returns whether a redriven job kept its key, because it blocks the key and was not skipped. */
  private boolean keptItsPlace(JobRow job, List<ExecutionRow> attempts, List<Moment> redrives) {
    if (Work.policy(job.ordering()) != OrderingPolicy.BLOCK || attempts.isEmpty()) {
      return false;
    }
    long from = attempts.get(0).started() - slack;
    long to = redrives.get(redrives.size() - 1).micros() + slack;
    return unblocks.getOrDefault(job.ordering(), List.of()).stream()
        .noneMatch(unblock -> unblock.micros() >= from && unblock.micros() <= to);
  }

  /** Returns when a job gave up its key, or a slightly earlier time. */
  private long left(JobRow job) {
    if (job.ended() == 0) {
      return NEVER;
    }
    if (job.archived() || Work.policy(job.ordering()) != OrderingPolicy.BLOCK) {
      return job.ended();
    }
    return unblocks.getOrDefault(job.ordering(), List.of()).stream()
        .mapToLong(unblock -> unblock.micros() - slack)
        .filter(time -> time + 2 * slack >= job.ended())
        .min()
        .orElse(NEVER);
  }

  private void violated(JobRow job, String what) {
    violations.add(new Violation(Counter.ORDER_VIOLATIONS, job.id(), job.key(), what));
  }
}
