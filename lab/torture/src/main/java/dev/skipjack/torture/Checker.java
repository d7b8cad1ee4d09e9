package dev.skipjack.torture;

import dev.skipjack.api.JobStatus;
import dev.skipjack.torture.FinalRead.EffectRow;
import dev.skipjack.torture.FinalRead.ExecutionRow;
import dev.skipjack.torture.FinalRead.JobRow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Compares the results that the processes received with the final content of the database. Depends
 * only on its arguments and has no side effects.
 *
 * <p>It compares a time in the history with one in the database only if a correct queue guarantees
 * their order.
 */
final class Checker {

  private final CheckedRun run;
  private final Pace pace;
  private final FaultLog faults;
  private final Map<Long, Long> leases = new HashMap<>();
  private final Set<Violation> violations = new LinkedHashSet<>();

  private Checker(CheckedRun run, Pace pace, FaultLog faults) {
    this.run = run;
    this.pace = pace;
    this.faults = faults;
    for (Event event : run.events(EventType.LEASE_EXTENDED)) {
      leases.merge(event.execution(), Long.parseLong(event.detail()), Math::max);
    }
  }

  /** Returns the violations, in the order in which the rules run. */
  static List<Violation> check(CheckedRun run, Pace pace, FaultLog faults) {
    Checker checker = new Checker(run, pace, faults);
    checker.checkAcknowledgements();
    checker.checkKeys();
    checker.checkCancels();
    checker.checkAcceptances();
    run.jobs.values().forEach(checker::checkJob);
    checker.checkAudit();
    run.executionsByJob.values().forEach(checker::checkLeases);
    checker.checkProcesses();
    checker.checkProducers();
    checker.violations.addAll(PhantomCheck.check(run));
    checker.violations.addAll(DueCheck.check(run));
    checker.violations.addAll(RunCheck.check(run));
    checker.violations.addAll(ContentCheck.check(run));
    checker.violations.addAll(UniqueCheck.check(run, pace));
    checker.violations.addAll(FireCheck.check(run));
    checker.violations.addAll(OrderCheck.check(run, pace));
    checker.violations.addAll(LimitCheck.check(run, pace));
    checker.violations.addAll(OutboxCheck.check(run, faults));
    checker.violations.addAll(DelayCheck.check(run, faults));
    checker.violations.addAll(InboxCheck.check(run));
    checker.violations.addAll(RowCheck.check(run));
    checker.violations.addAll(run.read.steps());
    return List.copyOf(checker.violations);
  }

  private void violated(Counter counter, long job, String what) {
    violations.add(new Violation(counter, job, run.key(job), what));
  }

  private void checkAcknowledgements() {
    for (Event event : run.events(EventType.ACKNOWLEDGED)) {
      if (run.job(event.job()).isEmpty()) {
        violations.add(
            new Violation(
                Counter.LOST, event.job(), event.key(), "An acknowledged job does not exist."));
      }
    }
    for (long job : run.read.keys()) {
      if (run.job(job).isEmpty()) {
        violated(Counter.LOST, job, "An idempotency key refers to a job that does not exist.");
      }
    }
    for (Event event : run.events(EventType.COMMITTED)) {
      if (run.effects(event.job()).stream()
          .noneMatch(effect -> effect.execution() == event.execution())) {
        violated(Counter.LOST, event.job(), "A committed effect is missing.");
      }
    }
  }

  private void checkKeys() {
    Set<String> requested = new HashSet<>();
    run.events(EventType.REQUESTED).forEach(event -> requested.add(event.key()));
    run.events(EventType.DISCARDED).forEach(event -> requested.add(event.key()));
    run.jobsByKey.forEach(
        (key, rows) -> {
          if (rows.get(0).isScheduled()) {
            return; // requested by a schedule; FireCheck counts them
          }
          if (!requested.contains(key)) {
            violated(Counter.UNEXPECTED, rows.get(0).id(), "The job was not requested.");
          }
          if (rows.stream().map(JobRow::id).distinct().count() > 1) {
            violated(Counter.UNEXPECTED, rows.get(0).id(), "One request created several jobs.");
          }
        });
  }

  private void checkCancels() {
    Set<Long> requested = new HashSet<>();
    run.events(EventType.CANCEL_REQUESTED).forEach(event -> requested.add(event.job()));
    for (JobRow row : run.read.jobs()) {
      if (row.status().equals("cancelled") && !requested.contains(row.id())) {
        violated(Counter.UNEXPECTED, row.id(), "The job was cancelled without a request.");
      }
    }
    for (Event returned : run.events(EventType.CANCEL_RETURNED)) {
      switch (returned.detail()) {
        case "CANCELLED" -> checkCancelled(returned, true);
        case "REQUESTED" -> checkCancelled(returned, false);
        case "GONE" -> checkGone(returned);
        default -> {} // any other refusal depends on the state at that moment
      }
    }
  }

  private void checkCancelled(Event returned, boolean certain) {
    if (run.attempts(returned.job()).stream().anyMatch(a -> isAfter(a.started(), returned))) {
      violated(
          Counter.UNEXPECTED, returned.job(), "An attempt started after the cancel had returned.");
    }
    for (JobRow row : run.job(returned.job())) {
      if ((certain && !row.status().equals("cancelled")) || !row.archived()) {
        violated(
            Counter.UNEXPECTED,
            row.id(),
            "The cancel was accepted, but the job is " + row.status() + ".");
      }
    }
  }

  /** Checks a job for which a cancel returned GONE: its end must have been committed before. */
  private void checkGone(Event returned) {
    boolean live =
        run.job(returned.job()).stream()
            .anyMatch(row -> !row.archived() || isAfter(row.ended(), returned));
    if (live) {
      violated(
          Counter.UNEXPECTED,
          returned.job(),
          "The cancel was refused as GONE, but the job was live.");
    }
  }

  /**
   * Returns whether a time of the database is certainly after an event, allowing for the error
   * between the two clocks.
   */
  private boolean isAfter(long micros, Event event) {
    return micros > event.micros() + run.read.clockError();
  }

  private void checkAcceptances() {
    Map<Long, Long> successes = new HashMap<>();
    for (Event event : run.events(EventType.ACCEPTED)) {
      ExecutionRow attempt = run.attempt(event);
      if (event.detail().equals("succeeded")) {
        Long other = successes.put(event.job(), event.execution());
        if (other != null && other != event.execution()) {
          violated(Counter.DOUBLE_COMPLETED, event.job(), "Two completions were accepted.");
        }
      }
      if (attempt == null) {
        violated(
            Counter.AUDIT_GAPS,
            event.job(),
            "An outcome was accepted from an attempt that is not in the audit.");
      } else if (attempt.status().equals("lost") || attempt.status().equals("running")) {
        boolean late = attempt.finished() != 0 && attempt.finished() < event.micros();
        violated(
            late ? Counter.STALE_ACCEPTED : Counter.LOST,
            event.job(),
            late
                ? "An outcome was accepted from an attempt whose job had been rescued."
                : "An accepted outcome is missing.");
      } else if (event.detail().equals("succeeded") && !attempt.status().equals("succeeded")) {
        violated(
            Counter.LOST, event.job(), "A success was accepted, but the audit does not show it.");
      }
    }
    for (EffectRow effect : run.read.effects()) {
      ExecutionRow attempt = run.executions.get(effect.execution());
      if (attempt != null && !attempt.status().equals("succeeded")) {
        violated(
            Counter.STALE_ACCEPTED,
            effect.job(),
            "An effect was committed by an attempt that did not own the job.");
      }
    }
  }

  private void checkJob(List<JobRow> rows) {
    JobRow job = rows.get(0);
    if (rows.size() > 1) {
      violated(Counter.DOUBLE_COMPLETED, job.id(), "The job exists more than once.");
    }
    List<ExecutionRow> attempts = run.attempts(job.id());
    long succeeded = attempts.stream().filter(a -> a.status().equals("succeeded")).count();
    if (succeeded > 1 || run.effects(job.id()).size() > 1) {
      violated(Counter.DOUBLE_COMPLETED, job.id(), "Several attempts completed the job.");
    }
    boolean effect = job.workload().equals(Workload.EFFECT.name());
    if (effect && job.status().equals("completed") && run.effects(job.id()).isEmpty()) {
      violated(Counter.LOST, job.id(), "The job is completed, but its effect is missing.");
    }
    checkEnd(job, attempts);
    checkAttempts(job, attempts);
  }

  private void checkEnd(JobRow job, List<ExecutionRow> attempts) {
    int used = job.attempts() - job.uncountedAttempts();
    switch (JobStatus.of(job.status())) {
      case COMPLETED -> {
        if (job.workload().equals(Workload.DOOMED.name())) {
          violated(Counter.UNEXPECTED, job.id(), "A job whose attempts all fail is completed.");
        }
      }
      case DEAD -> {
        if (used < job.maxAttempts() && !OrderCheck.mayBeParked(job) && !maySurrender(job)) {
          violated(Counter.UNEXPECTED, job.id(), "The job is dead with attempts left.");
        }
      }
      case CANCELLED -> {
        // Another check decides whether the cancellation was requested.
      }
      case PENDING, RUNNING, WAITING ->
          violated(
              Counter.STUCK, job.id(), "The job is still " + job.status() + " after the drain.");
    }
    if (used > job.maxAttempts()) {
      violated(Counter.UNEXPECTED, job.id(), "The job used more attempts than allowed.");
    }
    if (job.archived() && attempts.stream().anyMatch(a -> a.started() > job.ended())) {
      violated(Counter.UNEXPECTED, job.id(), "An attempt started after the job had ended.");
    }
  }

  /** Returns whether the job's handler may make it dead. */
  private static boolean maySurrender(JobRow job) {
    return job.workload().equals(Workload.STEPS.name()) && job.maxAttempts() == Work.FEW_ATTEMPTS;
  }

  private void checkAttempts(JobRow job, List<ExecutionRow> attempts) {
    if (attempts.size() != job.attempts()) {
      violated(
          Counter.AUDIT_GAPS,
          job.id(),
          "The job has %d attempts, but %d audit rows.".formatted(job.attempts(), attempts.size()));
    }
    if (attempts.stream().map(ExecutionRow::attempt).distinct().count() != attempts.size()) {
      violated(Counter.AUDIT_GAPS, job.id(), "Two attempts have the same number.");
    }
    boolean open = attempts.stream().anyMatch(a -> a.finished() == 0);
    if (open && !job.status().equals("running")) {
      violated(Counter.AUDIT_GAPS, job.id(), "The job is not running, but an audit row is open.");
    }
    if (!job.status().equals("completed")
        && attempts.stream().anyMatch(a -> a.status().equals("succeeded"))) {
      violated(
          Counter.LOST, job.id(), "An attempt succeeded, but the job is " + job.status() + ".");
    }
    if (job.status().equals("completed")
        && attempts.stream()
            .noneMatch(a -> a.id() == job.execution() && a.status().equals("succeeded"))) {
      violated(
          Counter.AUDIT_GAPS,
          job.id(),
          "The job was completed by an attempt that did not succeed.");
    }
  }

  private void checkAudit() {
    for (Event event : run.events(EventType.STARTED)) {
      if (run.attempt(event) == null) {
        violated(
            Counter.AUDIT_GAPS,
            event.job(),
            "A handler ran for an attempt that is not in the audit.");
      }
    }
    for (ExecutionRow attempt : run.read.executions()) {
      if (run.job(attempt.job()).isEmpty()) {
        violated(
            Counter.LOST, attempt.job(), "The audit has an attempt of a job that does not exist.");
      }
    }
  }

  private void checkProcesses() {
    for (Event event : run.events(EventType.EXITED)) {
      violations.add(
          new Violation(
              Counter.UNEXPECTED,
              0,
              Event.NONE,
              "%s exited on its own with code %s.".formatted(event.process(), event.detail())));
    }
  }

  private void checkProducers() {
    for (Event event : run.events(EventType.HUNG)) {
      violations.add(
          new Violation(
              Counter.STUCK,
              0,
              Event.NONE,
              "The producers did nothing for %s s without a fault.".formatted(event.detail())));
    }
  }

  private void checkLeases(List<ExecutionRow> attempts) {
    List<ExecutionRow> earlierAttempts = new ArrayList<>();
    long minLease = pace.lease().toNanos() / 1_000;
    for (ExecutionRow attempt : attempts) {
      for (ExecutionRow earlier : earlierAttempts) {
        if (earlier.finished() == 0 || earlier.finished() > attempt.started()) {
          violated(
              Counter.OVERLAPPING_LEASES,
              attempt.job(),
              "Two attempts owned the job at the same time.");
        }
      }
      earlierAttempts.add(attempt);
      if (attempt.status().equals("lost")) {
        long lease = Math.max(minLease, leases.getOrDefault(attempt.id(), 0L));
        if (attempt.finished() - attempt.started() < lease) {
          violated(
              Counter.OVERLAPPING_LEASES,
              attempt.job(),
              "The job was rescued before its lease had expired.");
        } else if (faults.cause(attempt) == null) {
          violated(
              Counter.UNPROVOKED_RERUNS,
              attempt.job(),
              "A lease expired, and no fault explains it.");
        }
      }
    }
  }
}
