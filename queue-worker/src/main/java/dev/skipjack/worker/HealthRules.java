package dev.skipjack.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Derives a worker's health from its state. */
final class HealthRules {

  /**
   * How long a failure may last before it counts; also the time that a poll may take in addition to
   * two poll intervals.
   */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private HealthRules() {}

  /**
   * @param dead the roles of the threads that have died or hang
   * @param saturation null if the worker was not started
   * @param troubles the failures that prevent loops from working
   */
  static WorkerHealth judge(
      boolean started,
      List<String> dead,
      List<Loop.Trouble> troubles,
      WorkerConfig config,
      Vitals vitals,
      DatabaseWatch database,
      HandlerWatch handlers,
      @Nullable Saturation saturation) {
    List<String> reasons = new ArrayList<>();
    if (!started) {
      reasons.add("The worker is not started.");
    }
    List<String> warnings = new ArrayList<>();
    for (String role : dead) {
      // A restart would end running jobs, and then run the same code of schedules again.
      (role.equals(Scheduler.ROLE) ? warnings : reasons)
          .add("The worker's thread '%s' is dead or hangs.".formatted(role));
    }
    boolean alive = reasons.isEmpty();
    boolean reachable = !database.isLost();
    if (database.isReadOnly()) {
      reasons.add(
          "The database has been read-only for %s: it is a standby or a former primary. The worker searches for a writable server. Last error: %s"
              .formatted(database.duration(), database.lastError()));
    } else if (!reachable) {
      reasons.add(
          "The database has been unavailable for %s. Last error: %s"
              .formatted(database.duration(), database.lastError()));
    }
    if (database.isExhausted()) {
      reasons.add(
          "The pool has had no free connection for %s. Handlers hold all connections, or the pool is too small."
              .formatted(database.exhaustedFor()));
    }
    Optional<Duration> sinceLastPoll = vitals.sinceLastPoll();
    Duration longest = config.pollInterval().multipliedBy(2).plus(PATIENCE);
    if (started && sinceLastPoll.isEmpty()) {
      reasons.add("The worker has not polled for jobs yet.");
    } else if (started && sinceLastPoll.filter(age -> age.compareTo(longest) > 0).isPresent()) {
      reasons.add("The last successful poll for jobs was %s ago.".formatted(sinceLastPoll.get()));
    }
    if (reachable) {
      for (Loop.Trouble trouble : troubles) {
        if (sinceLastPoll.isEmpty() || trouble.duration().compareTo(PATIENCE) > 0) {
          (DatabaseWatch.isOptional(trouble.role()) ? warnings : reasons)
              .add(
                  "The worker's thread '%s' has failed for %s. Last error: %s"
                      .formatted(trouble.role(), trouble.duration(), trouble.error()));
        }
      }
    }
    Optional<Boolean> current = vitals.schemaCurrent();
    if (started && current.isEmpty()) {
      reasons.add("The worker has not read the schema's version yet.");
    } else if (current.isPresent() && !current.get()) {
      reasons.add("The schema is too old for this version of the library. Run its migrations.");
    }
    handlers
        .refusedFor()
        .filter(refused -> refused.compareTo(PATIENCE) > 0)
        .ifPresent(
            refused ->
                reasons.add(
                    "The executor has rejected every job for %s, so claimed jobs are released."
                        .formatted(refused)));
    if (saturation != null) {
      reasons.addAll(saturation.stuck());
    }
    vitals.encodingTrouble().ifPresent(reasons::add);
    boolean ready = reasons.isEmpty();
    reasons.addAll(warnings);
    if (saturation != null) {
      reasons.addAll(saturation.reasons()); // the worker is healthy, but has more work than slots
    }
    reasons.addAll(vitals.hangingSchedules());
    vitals.partitionTrouble().ifPresent(reasons::add); // the worker runs until the partitions end
    return new WorkerHealth(
        alive,
        ready,
        reasons,
        sinceLastPoll,
        vitals.lag(),
        reachable,
        database.isExhausted(),
        current,
        vitals.scheduleOverdue());
  }
}
