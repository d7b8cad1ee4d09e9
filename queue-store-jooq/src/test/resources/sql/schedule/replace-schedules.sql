-- parameters: name, due_at, next_at, last_at, last_job_id, requested_at, paused_at, missed_until, cron, interval_seconds, aligned, zone, except_dates, zone_rules, missed, missed_maximum, overlap, jitter_ms, queue, kind, payload, payload_version, priority, max_attempts, tags, description, in_code, origin, authoritative, declaration, declared_at, timing_changed_at, failures, failed_at, last_error, created_at, updated_at
with
  "written" as (
    update "skipjack"."job_schedules"
    set
      "name" = cast("given"."name" as text),
      "due_at" = cast("given"."due_at" as timestamp with time zone),
      "next_at" = cast("given"."next_at" as timestamp with time zone),
      "last_at" = cast("given"."last_at" as timestamp with time zone),
      "last_job_id" = cast("given"."last_job_id" as bigint),
      "requested_at" = cast("given"."requested_at" as timestamp with time zone),
      "paused_at" = cast("given"."paused_at" as timestamp with time zone),
      "missed_until" = cast("given"."missed_until" as timestamp with time zone),
      "cron" = cast("given"."cron" as text),
      "interval_seconds" = cast("given"."interval_seconds" as bigint),
      "aligned" = cast("given"."aligned" as boolean),
      "zone" = cast("given"."zone" as text),
      "except_dates" = cast("given"."except_dates" as date[]),
      "zone_rules" = cast("given"."zone_rules" as text),
      "missed" = cast("given"."missed" as text),
      "missed_maximum" = cast("given"."missed_maximum" as int),
      "overlap" = cast("given"."overlap" as text),
      "jitter_ms" = cast("given"."jitter_ms" as bigint),
      "queue" = cast("given"."queue" as text),
      "kind" = cast("given"."kind" as text),
      "payload" = cast("given"."payload" as jsonb),
      "payload_version" = cast("given"."payload_version" as int),
      "priority" = cast("given"."priority" as smallint),
      "max_attempts" = cast("given"."max_attempts" as int),
      "tags" = cast("given"."tags" as text[]),
      "description" = cast("given"."description" as text),
      "in_code" = cast("given"."in_code" as boolean),
      "origin" = cast("given"."origin" as text),
      "authoritative" = cast("given"."authoritative" as boolean),
      "declaration" = cast("given"."declaration" as text),
      "declared_at" = cast("given"."declared_at" as timestamp with time zone),
      "timing_changed_at" = cast("given"."timing_changed_at" as timestamp with time zone),
      "failures" = cast("given"."failures" as int),
      "failed_at" = cast("given"."failed_at" as timestamp with time zone),
      "last_error" = cast("given"."last_error" as text),
      "created_at" = cast("given"."created_at" as timestamp with time zone),
      "updated_at" = cast("given"."updated_at" as timestamp with time zone)
    from unnest(cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    )) as "given" (
      "name",
      "due_at",
      "next_at",
      "last_at",
      "last_job_id",
      "requested_at",
      "paused_at",
      "missed_until",
      "cron",
      "interval_seconds",
      "aligned",
      "zone",
      "except_dates",
      "zone_rules",
      "missed",
      "missed_maximum",
      "overlap",
      "jitter_ms",
      "queue",
      "kind",
      "payload",
      "payload_version",
      "priority",
      "max_attempts",
      "tags",
      "description",
      "in_code",
      "origin",
      "authoritative",
      "declaration",
      "declared_at",
      "timing_changed_at",
      "failures",
      "failed_at",
      "last_error",
      "created_at",
      "updated_at"
    )
    where "skipjack"."job_schedules"."name" = "given"."name"
    returning "skipjack"."job_schedules"."name"
  )
select "written"."name"
from "written"
