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
 * Compares what processes were told with what the database holds in the end. A pure function.
 *
 * <p>Times of the history and of the database are compared only where the order is certain in a
 * queue that keeps its promises, however long an answer was under way.
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
    for (Event event : run.events(EventType.LEASED)) {
      leases.merge(event.execution(), Long.parseLong(event.detail()), Math::max);
    }
  }

  /** What is wrong; nothing if all is well. */
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
    checker.violations.addAll(UniqueCheck.check(run, pace));
    return List.copyOf(checker.violations);
  }

  private void found(Counter counter, long job, String what) {
    violations.add(new Violation(counter, job, run.key(job), what));
  }

  private void checkAcknowledgements() {
    for (Event event : run.events(EventType.ACKED)) {
      if (run.job(event.job()).isEmpty()) {
        violations.add(
            new Violation(
                Counter.LOST, event.job(), event.key(), "An acknowledged job is nowhere."));
      }
    }
    for (long job : run.read.keys()) {
      if (run.job(job).isEmpty()) {
        found(Counter.LOST, job, "An idempotency key leads to a job that is nowhere.");
      }
    }
    for (Event event : run.events(EventType.COMMITTED)) {
      if (run.effects(event.job()).stream()
          .noneMatch(effect -> effect.execution() == event.execution())) {
        found(Counter.LOST, event.job(), "An effect that was committed is not there.");
      }
    }
  }

  private void checkKeys() {
    Set<String> asked = new HashSet<>();
    run.events(EventType.ASKED).forEach(event -> asked.add(event.key()));
    run.jobsByKey.forEach(
        (key, rows) -> {
          if (!asked.contains(key)) {
            found(Counter.UNEXPECTED, rows.get(0).id(), "Nobody asked for this job.");
          }
          if (rows.stream().map(JobRow::id).distinct().count() > 1) {
            found(Counter.UNEXPECTED, rows.get(0).id(), "One request made several jobs.");
          }
        });
  }

  private void checkCancels() {
    Set<Long> asked = new HashSet<>();
    run.events(EventType.CANCEL_ASKED).forEach(event -> asked.add(event.job()));
    for (JobRow row : run.read.jobs()) {
      if (row.status().equals("cancelled") && !asked.contains(row.id())) {
        found(Counter.UNEXPECTED, row.id(), "Cancelled, and nobody asked for that.");
      }
    }
    for (Event answer : run.events(EventType.CANCEL_ANSWERED)) {
      switch (answer.detail()) {
        case "CANCELLED" -> checkCancelled(answer, true);
        case "REQUESTED" -> checkCancelled(answer, false);
        case "GONE" -> checkGone(answer);
        default -> {} // a refusal that the next moment may make untrue
      }
    }
  }

  private void checkCancelled(Event answer, boolean certain) {
    if (run.attempts(answer.job()).stream().anyMatch(a -> isAfter(a.started(), answer))) {
      found(Counter.UNEXPECTED, answer.job(), "An attempt began after the cancel was answered.");
    }
    for (JobRow row : run.job(answer.job())) {
      if ((certain && !row.status().equals("cancelled")) || !row.archived()) {
        found(Counter.UNEXPECTED, row.id(), "Cancelled, and " + row.status() + " in the end.");
      }
    }
  }

  /** Who was told that a job is gone was told so when its end was committed. */
  private void checkGone(Event answer) {
    boolean lived =
        run.job(answer.job()).stream()
            .anyMatch(row -> !row.archived() || isAfter(row.ended(), answer));
    if (lived) {
      found(Counter.UNEXPECTED, answer.job(), "Not cancelled because it was gone, and it lived.");
    }
  }

  /** Of two clocks, unless they may be wrong by that much. */
  private boolean isAfter(long micros, Event event) {
    return micros > event.micros() + run.read.clockError();
  }

  /** Nobody may be told that an attempt ended well or badly if the database does not say so. */
  private void checkAcceptances() {
    Map<Long, Long> successes = new HashMap<>();
    for (Event event : run.events(EventType.ACCEPTED)) {
      ExecutionRow attempt = run.attempt(event);
      if (event.detail().equals("succeeded")) {
        Long other = successes.put(event.job(), event.execution());
        if (other != null && other != event.execution()) {
          found(Counter.DOUBLE_COMPLETED, event.job(), "Two completions were accepted.");
        }
      }
      if (attempt == null) {
        found(Counter.AUDIT_GAPS, event.job(), "An accepted attempt is not in the audit.");
      } else if (attempt.status().equals("lost") || attempt.status().equals("running")) {
        boolean late = attempt.finished() != 0 && attempt.finished() < event.micros();
        found(
            late ? Counter.STALE_ACCEPTED : Counter.LOST,
            event.job(),
            late
                ? "An outcome was accepted from an attempt that was superseded."
                : "An outcome that was accepted is not there.");
      } else if (event.detail().equals("succeeded") && !attempt.status().equals("succeeded")) {
        found(Counter.LOST, event.job(), "A success was accepted, and the audit says otherwise.");
      }
    }
    for (EffectRow effect : run.read.effects()) {
      ExecutionRow attempt = run.executions.get(effect.execution());
      if (attempt != null && !attempt.status().equals("succeeded")) {
        found(
            Counter.STALE_ACCEPTED,
            effect.job(),
            "An effect was committed by an attempt that did not own the job.");
      }
    }
  }

  private void checkJob(List<JobRow> rows) {
    JobRow job = rows.get(0);
    if (rows.size() > 1) {
      found(Counter.DOUBLE_COMPLETED, job.id(), "The job is there several times.");
    }
    List<ExecutionRow> attempts = run.attempts(job.id());
    long succeeded = attempts.stream().filter(a -> a.status().equals("succeeded")).count();
    if (succeeded > 1 || run.effects(job.id()).size() > 1) {
      found(Counter.DOUBLE_COMPLETED, job.id(), "Several attempts completed the job.");
    }
    boolean effect = job.workload().equals(Workload.EFFECT.name());
    if (effect && job.status().equals("completed") && run.effects(job.id()).isEmpty()) {
      found(Counter.LOST, job.id(), "Completed, and its effect is not there.");
    }
    checkEnd(job, attempts);
    checkAttempts(job, attempts);
  }

  private void checkEnd(JobRow job, List<ExecutionRow> attempts) {
    int used = job.attempts() - job.uncountedAttempts();
    switch (JobStatus.of(job.status())) {
      case COMPLETED -> {
        if (job.workload().equals(Workload.DOOMED.name())) {
          found(Counter.UNEXPECTED, job.id(), "A job that never succeeds is completed.");
        }
      }
      case DEAD -> {
        if (used < job.maxAttempts()) {
          found(Counter.UNEXPECTED, job.id(), "Dead with attempts left.");
        }
      }
      case CANCELLED -> {
        // Another check decides whether the cancellation was requested.
      }
      case PENDING, RUNNING, WAITING ->
          found(Counter.STUCK, job.id(), "Still " + job.status() + " after the drain.");
    }
    if (used > job.maxAttempts()) {
      found(Counter.UNEXPECTED, job.id(), "More attempts than were allowed.");
    }
    if (job.archived() && attempts.stream().anyMatch(a -> a.started() > job.ended())) {
      found(Counter.UNEXPECTED, job.id(), "An attempt began after the job had ended.");
    }
  }

  private void checkAttempts(JobRow job, List<ExecutionRow> attempts) {
    if (attempts.size() != job.attempts()) {
      found(
          Counter.AUDIT_GAPS,
          job.id(),
          "%d attempts, %d in the audit.".formatted(job.attempts(), attempts.size()));
    }
    if (attempts.stream().map(ExecutionRow::attempt).distinct().count() != attempts.size()) {
      found(Counter.AUDIT_GAPS, job.id(), "Two attempts have one number.");
    }
    boolean open = attempts.stream().anyMatch(a -> a.finished() == 0);
    if (open && !job.status().equals("running")) {
      found(Counter.AUDIT_GAPS, job.id(), "Not running, and an attempt is open in the audit.");
    }
    if (!job.status().equals("completed")
        && attempts.stream().anyMatch(a -> a.status().equals("succeeded"))) {
      found(Counter.LOST, job.id(), "An attempt succeeded, and the job is " + job.status() + ".");
    }
    if (job.status().equals("completed")
        && attempts.stream()
            .noneMatch(a -> a.id() == job.execution() && a.status().equals("succeeded"))) {
      found(Counter.AUDIT_GAPS, job.id(), "Completed by an attempt that did not succeed.");
    }
  }

  private void checkAudit() {
    for (Event event : run.events(EventType.STARTED)) {
      if (run.attempt(event) == null) {
        found(Counter.AUDIT_GAPS, event.job(), "A handler ran for an attempt that is not there.");
      }
    }
    for (ExecutionRow attempt : run.read.executions()) {
      if (run.job(attempt.job()).isEmpty()) {
        found(Counter.LOST, attempt.job(), "The audit has a job that is nowhere.");
      }
    }
  }

  private void checkProcesses() {
    for (Event event : run.events(EventType.DIED)) {
      violations.add(
          new Violation(
              Counter.UNEXPECTED,
              0,
              Event.NONE,
              "%s ended by itself with %s.".formatted(event.process(), event.detail())));
    }
  }

  private void checkLeases(List<ExecutionRow> attempts) {
    List<ExecutionRow> before = new ArrayList<>();
    long least = pace.lease().toNanos() / 1_000;
    for (ExecutionRow attempt : attempts) {
      for (ExecutionRow earlier : before) {
        if (earlier.finished() == 0 || earlier.finished() > attempt.started()) {
          found(Counter.OVERLAPPING_LEASES, attempt.job(), "Two attempts owned the job at a time.");
        }
      }
      before.add(attempt);
      if (attempt.status().equals("lost")) {
        long lease = Math.max(least, leases.getOrDefault(attempt.id(), 0L));
        if (attempt.finished() - attempt.started() < lease) {
          found(Counter.OVERLAPPING_LEASES, attempt.job(), "Rescued before its lease was over.");
        } else if (faults.cause(attempt) == null) {
          found(
              Counter.UNPROVOKED_RERUNS, attempt.job(), "A lease ran out, and no fault did that.");
        }
      }
    }
  }
}
