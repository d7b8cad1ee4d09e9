package dev.skipjack.operations.diagnosis;

import dev.skipjack.api.operations.Finding;
import dev.skipjack.api.operations.Fix;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.RunningJob;
import dev.skipjack.api.operations.WorkerInfo;
import dev.skipjack.sql.Counted;
import dev.skipjack.sql.Spans;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Checks the schema, the jobs, the workers and the schedules. */
final class WorkChecks {

  /**
   * How long ago a lease must have expired to be reported. Workers search for expired leases every
   * 10 seconds by default.
   */
  private static final Duration LEASE_YELLOW = Duration.ofSeconds(30);

  private static final Duration LEASE_RED = Duration.ofMinutes(5);

  /**
   * How long a job or a schedule must be overdue for the finding to be red. A job of a new kind may
   * be enqueued shortly before the worker that handles it starts.
   */
  private static final Duration DUE_RED = Duration.ofMinutes(1);

  /** The fix if no worker is alive: no command of the CLI starts one. */
  static final String START_A_WORKER =
      "start an application with a worker; skipjack workers shows those of the last day";

  private WorkChecks() {}

  static Finding schemaVersion(int version, int needed) {
    if (version == needed) {
      return Check.SCHEMA_VERSION.green("The schema has version %d.".formatted(version));
    }
    return version < needed
        ? Check.SCHEMA_VERSION.red(
            "The schema has version %d, but this program needs %d.".formatted(version, needed),
            new Fix("skipjack migrate", "Migrations.migrate(dataSource, schema)"))
        : Check.SCHEMA_VERSION.yellow(
            "The schema has version %d, which is newer than this program's %d."
                .formatted(version, needed),
            new Fix("skipjack version", "update the program to the version of the migrations"));
  }

  static Finding leases(LeaseFactsStatement.Facts leases) {
    Duration since = leases.sinceFirst();
    if (leases.expired() == 0 || since == null || since.compareTo(LEASE_YELLOW) < 0) {
      return Check.LEASES.green(
          Counted.of(leases.running(), "job runs under a lease.", "jobs run under a lease."));
    }
    String sentence =
        "%s expired, the first %s ago; %s running."
            .formatted(
                Counted.of(leases.expired(), "lease has", "leases have"),
                Spans.of(since),
                Counted.of(leases.running(), "job is", "jobs are"));
    Fix fix =
        new Fix(
            "skipjack rescue",
            "queue.store().rescue(Duration.ZERO, 1000) with the role worker, or start a worker");
    return since.compareTo(LEASE_RED) < 0
        ? Check.LEASES.yellow(sentence, fix)
        : Check.LEASES.red(sentence, fix);
  }

  static Finding workers(
      List<LivingWorkersStatement.Facts> workers, List<DueKindsStatement.Facts> due) {
    if (!workers.isEmpty()) {
      return Check.WORKERS.green(
          Counted.of(workers.size(), "worker is alive.", "workers are alive."));
    }
    String sentence =
        "No worker was seen within the last %s".formatted(Spans.of(WorkerInfo.SILENCE));
    Fix fix = new Fix(START_A_WORKER, "Worker.on(queue)...start()");
    return due.isEmpty()
        ? Check.WORKERS.yellow(sentence + ".", fix)
        : Check.WORKERS.red(sentence + ", and jobs are due.", fix);
  }

  static Finding kinds(
      List<LivingWorkersStatement.Facts> workers, List<DueKindsStatement.Facts> due) {
    List<DueKindsStatement.Facts> unhandled =
        due.stream()
            .filter(job -> workers.stream().noneMatch(w -> w.runs(job.queue(), job.kind())))
            .toList();
    long others =
        unhandled.stream().map(job -> List.of(job.queue(), job.kind())).distinct().count() - 1;
    Optional<DueKindsStatement.Facts> oldest =
        unhandled.stream().max(Comparator.comparing(DueKindsStatement.Facts::dueFor));
    if (oldest.isEmpty()) {
      return Check.KINDS.green("Living workers handle all kinds of the jobs that are due.");
    }
    DueKindsStatement.Facts job = oldest.get();
    String sentence =
        "No living worker handles the kind %s in the queue %s, where a job has been due for %s%s."
            .formatted(
                job.kind(),
                job.queue(),
                Spans.of(job.dueFor()),
                others == 0
                    ? ""
                    : "; the same holds for " + Counted.of(others, "other kind", "other kinds"));
    Fix fix =
        new Fix(
            "skipjack jobs list %s %s"
                .formatted(
                    Quoting.option("--queue", job.queue()), Quoting.option("--kind", job.kind())),
            "Worker.on(queue)...handle(type, handler).queue(%s, slots)"
                .formatted(Quoting.java(job.queue())));
    return job.dueFor().compareTo(DUE_RED) < 0
        ? Check.KINDS.yellow(sentence, fix)
        : Check.KINDS.red(sentence, fix);
  }

  static Finding deadJobs(DeadJobFactsStatement.Facts dead) {
    Duration sinceFirst = dead.sinceFirst();
    Duration sinceLast = dead.sinceLast();
    if (dead.jobs() == 0) {
      return Check.DEAD_JOBS.green("No job is dead.");
    }
    // The times are those of the first jobs by queue and kind, not of all dead jobs.
    boolean more = dead.jobs() == DeadJobFactsStatement.WINDOW;
    String times =
        more || sinceFirst == null || sinceLast == null
            ? ""
            : dead.jobs() == 1
                ? "; it died %s ago".formatted(Spans.of(sinceLast))
                : "; the first died %s ago, the last %s ago"
                    .formatted(Spans.of(sinceFirst), Spans.of(sinceLast));
    return Check.DEAD_JOBS.yellow(
        "%s%s dead%s."
            .formatted(
                more ? "At least " : "",
                Counted.of(more ? dead.jobs() - 1 : dead.jobs(), "job is", "jobs are"),
                times),
        new Fix(
            "skipjack dead list",
            "queue.reader().deadLetters(), then queue.admin().redriveAll(which)"));
  }

  static Finding longAttempts(List<RunningJob> attempts) {
    if (attempts.isEmpty()) {
      return Check.LONG_ATTEMPTS.green(
          "No attempt has run for %s.".formatted(Spans.of(RunningJob.LONG)));
    }
    RunningJob longest = attempts.get(0);
    boolean more = attempts.size() == JobQuery.LARGEST;
    return Check.LONG_ATTEMPTS.yellow(
        "%s%s run for %s or longer. Job %s of the kind %s has run for %s on worker %s%s."
            .formatted(
                more ? "At least " : "",
                Counted.of(attempts.size(), "attempt has", "attempts have"),
                Spans.of(RunningJob.LONG),
                longest.job().id(),
                longest.job().kind(),
                Spans.of(longest.runsFor()),
                longest.job().worker(),
                longest.pid() == null
                    ? ""
                    : ", process %d%s"
                        .formatted(
                            longest.pid(),
                            longest.host() == null ? "" : " on host " + longest.host())),
        new Fix(
            "skipjack why " + longest.job().id(),
            "JobType.timeout(duration); jcmd %s Thread.print shows what the handler does"
                .formatted(longest.pid() == null ? "PID" : longest.pid())));
  }

  static Finding pausedQueues(List<PausedQueuesStatement.Facts> queues) {
    if (queues.isEmpty()) {
      return Check.PAUSED_QUEUES.green("No queue is paused.");
    }
    PausedQueuesStatement.Facts longest = queues.get(0);
    int others = queues.size() - 1;
    boolean more = queues.size() == PausedQueuesStatement.WINDOW;
    String rest =
        others == 0
            ? ""
            : others == 1
                ? "1 other queue is paused too. "
                : "%s%,d other queues are paused too. ".formatted(more ? "At least " : "", others);
    return Check.PAUSED_QUEUES.yellow(
        rest + longest.pause().sentence(longest.queue(), longest.now()),
        PauseFacts.fix(longest.queue()));
  }

  static Finding limits(List<LimitSettingsStatement.Facts> limits) {
    if (limits.isEmpty()) {
      return Check.LIMITS.green(
          "No rate is closed for long, and all limits and settings of groups take effect.");
    }
    LimitSettingsStatement.Facts first = limits.get(0);
    if (first.limit() != null && first.closedUntil() != null) {
      return Check.LIMITS.yellow(
          "The rate of limit %s allows no start until %s: a throttle is long, or the clock of the database was set back."
              .formatted(first.limit(), first.closedUntil()),
          new Fix(
              "skipjack limits reset " + Quoting.operand(first.limit()),
              "queue.admin().resetLimit(%s)".formatted(Quoting.java(first.limit()))));
    }
    int others = limits.size() - 1;
    boolean more = limits.size() == LimitSettingsStatement.WINDOW;
    String rest =
        others == 0
            ? ""
            : " The same holds for %s%,d other %s."
                .formatted(
                    more ? "at least " : "",
                    others,
                    others == 1 ? "limit or group" : "limits or groups");
    if (first.limit() != null) {
      return Check.LIMITS.yellow(
          "Limit %s has no effect, because no queue obeys it.%s".formatted(first.limit(), rest),
          new Fix(
              "skipjack limits remove " + Quoting.operand(first.limit()),
              "queue.admin().configure(name, settings.limitedBy(%s))"
                  .formatted(Quoting.java(first.limit()))));
    }
    String queue = String.valueOf(first.queue());
    return Check.LIMITS.yellow(
        "Settings of the group %s have no effect, because the queue %s is not fair or has no limit.%s"
            .formatted(first.group(), queue, rest),
        new Fix(
            "skipjack groups list " + Quoting.operand(queue),
            "queue.admin().configure(%s, settings.fair())".formatted(Quoting.java(queue))));
  }

  static Finding schedules(
      List<ScheduleFactsStatement.Facts> schedules, List<LivingWorkersStatement.Facts> workers) {
    Optional<ScheduleFactsStatement.Facts> overdue =
        schedules.stream()
            .filter(schedule -> overdue(schedule).compareTo(DUE_RED) >= 0)
            .max(Comparator.comparing(WorkChecks::overdue));
    if (overdue.isPresent()) {
      ScheduleFactsStatement.Facts schedule = overdue.get();
      return Check.SCHEDULES.red(
          "Schedule %s should have fired %s ago."
              .formatted(schedule.name(), Spans.of(overdue(schedule))),
          new Fix(
              "skipjack schedules show " + Quoting.operand(schedule.name()),
              "start a worker; a schedule with code needs one that declares it"));
    }
    for (ScheduleFactsStatement.Facts schedule : schedules) {
      if (schedule.failures() > 0) {
        return Check.SCHEDULES.red(
            "Schedule %s has failed to fire %s: %s"
                .formatted(
                    schedule.name(),
                    Counted.of(schedule.failures(), "time", "times"),
                    Objects.requireNonNullElse(schedule.lastError(), "no error is stored")),
            new Fix(
                "skipjack schedules show " + Quoting.operand(schedule.name()),
                "queue.schedules().find(%s)".formatted(Quoting.java(schedule.name()))));
      }
    }
    for (ScheduleFactsStatement.Facts schedule : schedules) {
      if (workers.stream().noneMatch(w -> w.runs(schedule.queue(), schedule.kind()))) {
        return Check.SCHEDULES.yellow(
            "No living worker handles the kind %s of schedule %s in the queue %s."
                .formatted(schedule.kind(), schedule.name(), schedule.queue()),
            new Fix(
                "skipjack schedules pause " + Quoting.operand(schedule.name()),
                "Worker.on(queue)...handle(type, handler).queue(%s, slots)"
                    .formatted(Quoting.java(schedule.queue()))));
      }
    }
    return Check.SCHEDULES.green(
        schedules.isEmpty()
            ? "There are no active schedules."
            : Counted.of(schedules.size(), "schedule fires in time.", "schedules fire in time."));
  }

  private static Duration overdue(ScheduleFactsStatement.Facts schedule) {
    return Objects.requireNonNullElse(schedule.overdueFor(), Duration.ZERO);
  }

  static Finding blockedKeys(List<BlockedKeyFactsStatement.Facts> keys) {
    if (keys.isEmpty()) {
      return Check.BLOCKED_KEYS.green("No ordering key is blocked.");
    }
    boolean more = keys.size() == BlockedKeyFactsStatement.WINDOW;
    BlockedKeyFactsStatement.Facts first = keys.get(0);
    return Check.BLOCKED_KEYS.yellow(
        "Dead jobs block %s%s, for example %s."
            .formatted(
                more ? "at least " : "",
                Counted.of(more ? keys.size() - 1 : keys.size(), "ordering key", "ordering keys"),
                first.orderingKey()),
        new Fix(
            Quoting.unblock(first.head()),
            "queue.admin().unblock(%s, new JobId(%s)), or redrive the dead job"
                .formatted(Quoting.java(first.orderingKey()), first.head())));
  }
}
