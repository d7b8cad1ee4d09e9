package dev.skipjack.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Makes a judgement of a worker's condition. */
final class HealthRules {

  /** Beyond two polls: what a slow database may take. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private HealthRules() {}

  /**
   * @param dead roles of the threads that are dead or hang
   * @param saturation null if it was not started
   * @param troubles what keeps threads from their work
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
    for (String role : dead) {
      reasons.add("The worker's thread '%s' is dead or hangs.".formatted(role));
    }
    boolean alive = reasons.isEmpty();
    boolean reachable = !database.isLost();
    if (database.isReadOnly()) {
      reasons.add(
          "The database is read-only, for %s by now: a standby, or a former primary. The worker looks for a server that can be written to. Last error: %s"
              .formatted(database.duration(), database.lastError()));
    } else if (!reachable) {
      reasons.add(
          "The database does not answer, for %s by now. Last error: %s"
              .formatted(database.duration(), database.lastError()));
    }
    if (database.isExhausted()) {
      reasons.add(
          "The pool has had no free connection for %s. Handlers hold them all, or there are too few."
              .formatted(database.exhaustedFor()));
    }
    Optional<Duration> sinceLastPoll = vitals.sinceLastPoll();
    Duration longest = config.pollInterval().multipliedBy(2).plus(PATIENCE);
    if (started && sinceLastPoll.isEmpty()) {
      reasons.add("It has not looked for jobs yet.");
    } else if (started && sinceLastPoll.filter(age -> age.compareTo(longest) > 0).isPresent()) {
      reasons.add("Its last look for jobs that worked was %s ago.".formatted(sinceLastPoll.get()));
    }
    List<String> warnings = new ArrayList<>();
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
      reasons.add("It does not know the schema's version yet.");
    } else if (current.isPresent() && !current.get()) {
      reasons.add("The schema is older than this library needs. Migrate it.");
    }
    handlers
        .refusedFor()
        .filter(refused -> refused.compareTo(PATIENCE) > 0)
        .ifPresent(
            refused ->
                reasons.add(
                    "The executor has refused every job for %s. Jobs are claimed and released."
                        .formatted(refused)));
    if (saturation != null) {
      reasons.addAll(saturation.stuck());
    }
    vitals.encodingTrouble().ifPresent(reasons::add);
    boolean ready = reasons.isEmpty();
    reasons.addAll(warnings);
    if (saturation != null) {
      reasons.addAll(saturation.reasons()); // it is well, and has more work than slots
    }
    vitals.partitionTrouble().ifPresent(reasons::add); // it works until then
    return new WorkerHealth(
        alive,
        ready,
        reasons,
        sinceLastPoll,
        vitals.lag(),
        reachable,
        database.isExhausted(),
        current);
  }
}
