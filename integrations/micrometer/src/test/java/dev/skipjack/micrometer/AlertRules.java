package dev.skipjack.micrometer;

import dev.skipjack.micrometer.MeterTable.Listed;
import java.util.List;

/** Writes alert rules for Prometheus. */
final class AlertRules {

  /**
   * A rule.
   *
   * @param meter the meter that the rule is about
   * @param forMinutes for how long the expression must be true
   */
  private record Rule(
      String name,
      Listed meter,
      String expression,
      int forMinutes,
      String severity,
      String summary,
      String description) {}

  private static final String WARNING = "warning";
  private static final String CRITICAL = "critical";

  private final MeterTable meters;

  private AlertRules(MeterTable meters) {
    this.meters = meters;
  }

  static String of(MeterTable meters) {
    StringBuilder yaml = new StringBuilder("groups:\n  - name: skipjack\n    rules:\n");
    new AlertRules(meters).rules().forEach(rule -> append(rule, yaml));
    return yaml.toString();
  }

  private List<Rule> rules() {
    return List.of(
        increased(
            "SkipjackJobsDead",
            "skipjack.jobs.dead",
            "Jobs of kind {{ $labels.kind }} became dead in queue {{ $labels.queue }}",
            "Show their errors with 'skipjack dead list', and redrive or prune them."),
        increased(
            "SkipjackHandlerStuck",
            "skipjack.jobs.stuck",
            "A handler of kind {{ $labels.kind }} does not end",
            "It ignored the interrupt after its timeout. Another job may get its slot, but its thread keeps running."),
        increased(
            "SkipjackPayloadUnread",
            "skipjack.jobs.unread",
            "Payloads of kind {{ $labels.kind }} cannot be fetched",
            "The attempts fail before their handler begins."),
        failing(),
        above(
            "SkipjackLag",
            "skipjack.worker.lag",
            300,
            WARNING,
            "Due jobs wait for more than 5 minutes",
            "The queues that {{ $labels.worker }} serves get more jobs than their workers run. 'skipjack why' explains a job."),
        above(
            "SkipjackPollAge",
            "skipjack.worker.poll.age",
            60,
            CRITICAL,
            "Worker {{ $labels.worker }} does not poll",
            "Its database is unavailable, or its threads hang. Read its health."),
        noWorker(),
        aboveByQueue(
            "SkipjackQueueDepth",
            "skipjack.queue.jobs",
            "{status='pending'}",
            10_000,
            15,
            "More than 10,000 jobs of queue {{ $labels.queue }} are pending",
            "Jobs come faster than they run, or do not run. 'skipjack why' explains a job."),
        aboveByQueue(
            "SkipjackDeadTotal",
            "skipjack.queue.jobs",
            "{status='dead'}",
            100,
            15,
            "More than 100 jobs of queue {{ $labels.queue }} are dead",
            "'skipjack dead list' groups them by error. Redrive or prune them, or set a retention."),
        aboveByQueue(
            "SkipjackQueuePaused",
            "skipjack.queue.paused",
            "",
            0,
            60,
            "Queue {{ $labels.queue }} has been paused for an hour",
            "'skipjack queues list' shows who paused it and why; 'skipjack queues resume' ends the pause."),
        check(
            "SkipjackQueueNotServed",
            "kinds|workers",
            CRITICAL,
            "Due jobs have no worker",
            "No living worker serves their queue with a handler of their kind. 'skipjack doctor' names them."),
        check(
            "SkipjackKeysBlocked",
            "blocked-keys",
            WARNING,
            "Dead jobs block ordering keys",
            "The jobs behind them wait. 'skipjack keys list' shows the keys; redrive the dead jobs, or skip them."),
        check(
            "SkipjackSchedulesDoNotFire",
            "schedules",
            WARNING,
            "A schedule does not fire, or no worker handles its jobs",
            "'skipjack doctor' names it, and 'skipjack schedules show' its last error."),
        check(
            "SkipjackLeasesExpired",
            "leases",
            WARNING,
            "Jobs whose lease has expired wait for their rescue",
            "No worker is able to rescue them. 'skipjack rescue' does so at once."),
        doctorRed(),
        unreadable(),
        increased(
            "SkipjackEventsDropped",
            "skipjack.worker.events.dropped",
            "Worker {{ $labels.worker }} drops events",
            "A listener is too slow. A warning in the log names it."),
        above(
            "SkipjackOutboxLag",
            "skipjack.outbox.lag",
            300,
            WARNING,
            "Events wait for more than 5 minutes",
            "No relay runs, or the publisher is too slow or unavailable."),
        above(
            "SkipjackOutboxDead",
            "skipjack.outbox.dead",
            0,
            WARNING,
            "The outbox has dead events",
            "Show their errors, and redrive them."),
        increased(
            "SkipjackRelayOutOfOrder",
            "skipjack.relay.out.of.order",
            "The publisher of relay {{ $labels.relay }} sends events out of order",
            "It sent an event although an earlier one of its aggregate had failed: a defect of the publisher."));
  }

  /**
   * Returns a rule that fires if a counter has increased in the last 15 minutes. Micrometer creates
   * a counter at its first increment, which Prometheus does not count as an increase. So the rule
   * also fires if a series had no value in the hour before those 15 minutes, or a higher one, which
   * means that the process has restarted.
   */
  private Rule increased(String name, String meter, String summary, String description) {
    Listed listed = meters.get(meter);
    String series = listed.prometheus();
    return new Rule(
        name,
        listed,
        "sum by (%1$s) ((%2$s unless last_over_time(%2$s[1h] offset 15m) <= %2$s) or increase(%2$s[15m])) > 0"
            .formatted(String.join(", ", listed.tags()), series),
        0,
        WARNING,
        summary,
        description);
  }

  private Rule above(
      String name, String meter, int limit, String severity, String summary, String description) {
    Listed listed = meters.get(meter);
    String by =
        listed.tags().isEmpty() ? "" : " by (%s)".formatted(String.join(", ", listed.tags()));
    return new Rule(
        name,
        listed,
        "max%s (%s) > %d".formatted(by, listed.prometheus(), limit),
        5,
        severity,
        summary,
        description);
  }

  private Rule aboveByQueue(
      String name,
      String meter,
      String where,
      int limit,
      int forMinutes,
      String summary,
      String description) {
    Listed listed = meters.get(meter);
    return new Rule(
        name,
        listed,
        "max by (queue) (%s%s) > %d".formatted(listed.prometheus(), where, limit),
        forMinutes,
        WARNING,
        summary,
        description);
  }

  /** Returns a rule about a check of the doctor that is not green. */
  private Rule check(
      String name, String check, String severity, String summary, String description) {
    Listed level = meters.get("skipjack.doctor.level");
    return new Rule(
        name,
        level,
        "max (%s{check=~'%s'}) > 0".formatted(level.prometheus(), check),
        5,
        severity,
        summary,
        description);
  }

  private Rule doctorRed() {
    Listed level = meters.get("skipjack.doctor.level");
    return new Rule(
        "SkipjackDoctor",
        level,
        "max by (check) (%s) > 1".formatted(level.prometheus()),
        5,
        CRITICAL,
        "The check {{ $labels.check }} of the doctor is red",
        "'skipjack doctor' explains it and how to fix it.");
  }

  private Rule unreadable() {
    Listed readable = meters.get("skipjack.queue.readable");
    return new Rule(
        "SkipjackQueuesUnreadable",
        readable,
        "max (%s) < 1".formatted(readable.prometheus()),
        5,
        CRITICAL,
        "The state of the queues cannot be read",
        "The database is unavailable, or the role of the process may not read the queue.");
  }

  private Rule failing() {
    Listed failed = meters.get("skipjack.jobs.failed");
    String rate = "sum by (queue, kind) (rate(%s[15m]))";
    return new Rule(
        "SkipjackAttemptsFail",
        failed,
        "%s > 0.5 * %s"
            .formatted(
                rate.formatted(failed.prometheus()),
                rate.formatted(meters.get("skipjack.jobs.claimed").prometheus())),
        15,
        WARNING,
        "More than half of the attempts of kind {{ $labels.kind }} fail and are retried",
        "The jobs become dead when their attempts are used up. 'skipjack jobs list' shows their errors.");
  }

  private Rule noWorker() {
    Listed age = meters.get("skipjack.worker.poll.age");
    return new Rule(
        "SkipjackNoWorker",
        age,
        "absent(%s)".formatted(age.prometheus()),
        5,
        CRITICAL,
        "No worker reports metrics",
        "No worker runs, or Prometheus does not scrape it.");
  }

  private static void append(Rule rule, StringBuilder yaml) {
    yaml.append("      - alert: %s\n".formatted(rule.name()))
        .append("        expr: %s\n".formatted(rule.expression()))
        .append("        for: %dm\n".formatted(rule.forMinutes()))
        .append("        labels:\n          severity: %s\n".formatted(rule.severity()))
        .append("        annotations:\n")
        .append("          summary: %s\n".formatted(quoted(rule.summary())))
        .append("          description: %s\n".formatted(quoted(rule.description())));
  }

  /** Quotes a text for YAML. No text contains a quotation mark or a backslash. */
  private static String quoted(String text) {
    return '"' + text + '"';
  }
}
