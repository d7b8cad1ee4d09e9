package dev.skipjack.cli;

import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Valid rows of each table. */
final class HealthyRows {

  /** A column of a running job without a stack; after the last one, a number. */
  private static final String OF_RUNNING_JOB =
      """
      coalesce((SELECT jobs.%s FROM skipjack.jobs WHERE status = 'running' AND NOT EXISTS
                 (SELECT FROM skipjack.job_stacks WHERE execution_id = jobs.current_execution_id)
                 ORDER BY id LIMIT 1), #)\
      """;

  /** The rows of each table, as values by column. {@code #} stands for a number. */
  static final Map<String, List<Map<String, String>>> OF_TABLE =
      Map.ofEntries(
          Map.entry(
              "jobs",
              List.of(
                  Map.of("queue", "'odd'", "kind", "'work'", "payload", "'{}'"),
                  Map.of(
                      "queue",
                      "'odd'",
                      "kind",
                      "'work'",
                      "payload",
                      "'{}'",
                      "status",
                      "'running'",
                      "current_execution_id",
                      "nextval('skipjack.job_execution_id_seq')",
                      "lease_expires_at",
                      "now() - interval '1 hour'",
                      "started_at",
                      "now() - interval '2 hours'",
                      "attempts",
                      "1"),
                  Map.of(
                      "queue",
                      "'odd'",
                      "kind",
                      "'work'",
                      "payload",
                      "'{}'",
                      "status",
                      "'waiting'",
                      "ordering_key",
                      "'waiting-#'"),
                  Map.of(
                      "queue",
                      "'odd'",
                      "kind",
                      "'work'",
                      "payload",
                      "'{}'",
                      "status",
                      "'dead'",
                      "died_at",
                      "now()",
                      "attempts",
                      "25",
                      "ordering_key",
                      "'dead-#'",
                      "ordering_head",
                      "true"))),
          Map.entry(
              "job_executions",
              List.of(
                  Map.of(
                      "id",
                      "nextval('skipjack.job_execution_id_seq')",
                      "job_id",
                      "(SELECT min(id) FROM skipjack.jobs)",
                      "started_at",
                      "now()",
                      "attempt",
                      "1",
                      "queue",
                      "'odd'",
                      "kind",
                      "'work'"),
                  Map.of(
                      "id",
                      "nextval('skipjack.job_execution_id_seq')",
                      "job_id",
                      "(SELECT min(id) FROM skipjack.jobs)",
                      "started_at",
                      "now()",
                      "attempt",
                      "1",
                      "queue",
                      "'odd'",
                      "kind",
                      "'work'",
                      "status",
                      "'failed'",
                      "finished_at",
                      "now()"))),
          Map.entry(
              "jobs_archive",
              List.of(
                  Map.ofEntries(
                      Map.entry("id", "#"),
                      Map.entry("status", "'completed'"),
                      Map.entry("queue", "'odd'"),
                      Map.entry("kind", "'work'"),
                      Map.entry("payload", "'{}'"),
                      Map.entry("payload_version", "1"),
                      Map.entry("priority", "0"),
                      Map.entry("scheduled_at", "now()"),
                      Map.entry("created_at", "now()"),
                      Map.entry("attempts", "1"),
                      Map.entry("uncounted_attempts", "0"),
                      Map.entry("max_attempts", "25")))),
          Map.entry(
              "job_keys",
              List.of(
                  Map.of(
                      "key",
                      "'key-#'",
                      "job_id",
                      "(SELECT min(id) FROM skipjack.jobs)",
                      "expires_at",
                      "now()"))),
          Map.entry(
              "job_limits",
              List.of(
                  Map.of("name", "'limit-#'", "max_running", "3"),
                  Map.of(
                      "name",
                      "'limit-#'",
                      "rate_count",
                      "5",
                      "rate_period",
                      "interval '1 second'",
                      "rate_kind",
                      "'fixed'"))),
          Map.entry("job_groups", List.of(Map.of("queue", "'odd'", "group_key", "'group-#'"))),
          Map.entry(
              "job_rate_uses", List.of(Map.of("limit_name", "'limit-#'", "full_at", "now()"))),
          Map.entry("job_queues", List.of(Map.of("queue", "'queue-#'", "paused_at", "now()"))),
          Map.entry(
              "job_schedules",
              List.of(
                  Map.of(
                      "name",
                      "'schedule-#'",
                      "interval_seconds",
                      "60",
                      "queue",
                      "'odd'",
                      "kind",
                      "'work'",
                      "payload",
                      "'{}'",
                      "origin",
                      "'operator'",
                      "due_at",
                      "date_trunc('minute', now())",
                      "next_at",
                      "date_trunc('minute', now())"),
                  Map.of(
                      "name",
                      "'schedule-#'",
                      "cron",
                      "'* * * * *'",
                      "queue",
                      "'odd'",
                      "kind",
                      "'work'",
                      "payload",
                      "'{}'",
                      "origin",
                      "'operator'",
                      "due_at",
                      "date_trunc('minute', now())",
                      "next_at",
                      "date_trunc('minute', now())"))),
          Map.entry(
              "job_workers",
              List.of(
                  Map.of(
                      "name",
                      "'worker-#'",
                      "boot_id",
                      "gen_random_uuid()",
                      "queues",
                      "'{odd}'",
                      "kinds",
                      "'{work}'"))),
          Map.entry(
              "job_operations",
              List.of(
                  Map.of("actor", "'anna'", "action", "'cancel'", "newest_id", "1"),
                  Map.of(
                      "actor",
                      "'anna'",
                      "action",
                      "'cancel'",
                      "newest_id",
                      "1",
                      "payload_path",
                      "'{a}'",
                      "payload_value",
                      "'1'"),
                  Map.of(
                      "actor",
                      "'anna'",
                      "action",
                      "'edit'",
                      "newest_id",
                      "1",
                      "payload_patch",
                      "'{}'"))),
          Map.entry(
              "job_changes",
              List.of(Map.of("actor", "'anna'", "action", "'cancel'", "target", "'#'"))),
          Map.entry(
              "job_minutes",
              List.of(
                  Map.ofEntries(
                      Map.entry("minute", "date_trunc('minute', now())"),
                      Map.entry("queue", "'odd'"),
                      Map.entry("kind", "'work'"),
                      Map.entry("worker_id", "'w/1'"),
                      Map.entry("completed", "1"),
                      Map.entry("failed", "0"),
                      Map.entry("dead", "0"),
                      Map.entry("cancelled", "0"),
                      Map.entry("snoozed", "0"),
                      Map.entry("lost", "0"),
                      Map.entry("waits", "'{1}'"),
                      Map.entry("runs", "'{1}'")))),
          Map.entry(
              "job_depths",
              List.of(
                  Map.of(
                      "minute",
                      "date_trunc('minute', now()) - # * interval '1 minute'",
                      "queue",
                      "'odd'",
                      "pending",
                      "1",
                      "running",
                      "0",
                      "waiting",
                      "0",
                      "dead",
                      "0"))),
          Map.entry(
              "job_stacks",
              List.of(
                  Map.of(
                      "execution_id",
                      OF_RUNNING_JOB.formatted("current_execution_id"),
                      "job_id",
                      OF_RUNNING_JOB.formatted("id"),
                      "sampled_at",
                      "now()",
                      "stack",
                      "'at a.B.c(B.java:1)'"))),
          Map.entry(
              "outbox_events",
              List.of(
                  Map.of(
                      "shard",
                      "0",
                      "event_id",
                      "gen_random_uuid()",
                      "aggregate_type",
                      "'order'",
                      "aggregate_id",
                      "'a-#'",
                      "event_type",
                      "'placed'",
                      "payload",
                      "'{}'"),
                  Map.of(
                      "shard",
                      "0",
                      "event_id",
                      "gen_random_uuid()",
                      "aggregate_type",
                      "'order'",
                      "aggregate_id",
                      "'d-#'",
                      "event_type",
                      "'placed'",
                      "payload",
                      "'{}'",
                      "status",
                      "'dead'",
                      "died_at",
                      "now()"))),
          Map.entry(
              "outbox_published",
              List.of(
                  Map.ofEntries(
                      Map.entry("position", "#"),
                      Map.entry("recorded_at", "now()"),
                      Map.entry("attempts", "0"),
                      Map.entry("event_id", "gen_random_uuid()"),
                      Map.entry("aggregate_type", "'order'"),
                      Map.entry("aggregate_id", "'a-#'"),
                      Map.entry("event_type", "'placed'"),
                      Map.entry("content_type", "'application/json'"),
                      Map.entry("headers", "'{}'"),
                      Map.entry("payload", "'{}'")))),
          Map.entry(
              "outbox_blocked",
              List.of(Map.of("aggregate_type", "'order'", "aggregate_id", "'b-#'", "shard", "0"))),
          // Migrations insert the shards. OddRowsTest of queue-outbox writes odd values to them.
          Map.entry("outbox_shards", List.of()),
          Map.entry(
              "inbox_events",
              List.of(Map.of("consumer", "'mails'", "event_id", "gen_random_uuid()"))),
          Map.entry(
              "job_steps",
              List.of(
                  Map.ofEntries(
                      Map.entry("job_id", "#"),
                      Map.entry("execution_id", "1"),
                      Map.entry("position", "1"),
                      Map.entry("type", "'run'"),
                      Map.entry("name", "'s-#'"),
                      Map.entry("result", "'{}'"),
                      Map.entry("undo_kind", "'undo'"),
                      Map.entry("undo_queue", "'odd'"),
                      Map.entry("undo_payload", "'{}'"),
                      Map.entry("undo_payload_version", "1")))),
          Map.entry(
              "job_waits",
              List.of(
                  Map.of(
                      "job_id",
                      "#",
                      "ends_at",
                      "now()",
                      "address",
                      "'key/k-#'",
                      "name",
                      "'review'"))),
          Map.entry(
              "job_signals",
              List.of(
                  Map.of(
                      "expires_at",
                      "now() + interval '1 day'",
                      "address",
                      "'key/k-#'",
                      "name",
                      "'review'",
                      "payload",
                      "'{}'"))),
          Map.entry(
              "job_batches",
              List.of(
                  Map.of("name", "'b-#'"),
                  Map.of(
                      "name",
                      "'ended-#'",
                      "sealed_at",
                      "now()",
                      "finished_at",
                      "now()",
                      "succeeded",
                      "true"))));

  private HealthyRows() {}

  static List<Map<String, String>> of(String table) {
    return Objects.requireNonNull(OF_TABLE.get(table), table);
  }
}
