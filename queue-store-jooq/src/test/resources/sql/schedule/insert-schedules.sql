-- parameters: name, due_at, next_at, last_at, last_job_id, requested_at, paused_at, missed_until, cron, interval_seconds, aligned, zone, except_dates, zone_rules, missed, missed_maximum, overlap, jitter_ms, queue, kind, payload, payload_version, priority, max_attempts, tags, description, in_code, origin, authoritative, declaration, declared_at, timing_changed_at, failures, failed_at, last_error, created_at, updated_at
with
  "written" as (
    insert into "skipjack"."job_schedules" (
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
    select
      cast("given"."name" as text),
      cast("given"."due_at" as timestamp with time zone),
      cast("given"."next_at" as timestamp with time zone),
      cast("given"."last_at" as timestamp with time zone),
      cast("given"."last_job_id" as bigint),
      cast("given"."requested_at" as timestamp with time zone),
      cast("given"."paused_at" as timestamp with time zone),
      cast("given"."missed_until" as timestamp with time zone),
      cast("given"."cron" as text),
      cast("given"."interval_seconds" as bigint),
      cast("given"."aligned" as boolean),
      cast("given"."zone" as text),
      cast("given"."except_dates" as date[]),
      cast("given"."zone_rules" as text),
      cast("given"."missed" as text),
      cast("given"."missed_maximum" as int),
      cast("given"."overlap" as text),
      cast("given"."jitter_ms" as bigint),
      cast("given"."queue" as text),
      cast("given"."kind" as text),
      cast("given"."payload" as jsonb),
      cast("given"."payload_version" as int),
      cast("given"."priority" as smallint),
      cast("given"."max_attempts" as int),
      cast("given"."tags" as text[]),
      cast("given"."description" as text),
      cast("given"."in_code" as boolean),
      cast("given"."origin" as text),
      cast("given"."authoritative" as boolean),
      cast("given"."declaration" as text),
      cast("given"."declared_at" as timestamp with time zone),
      cast("given"."timing_changed_at" as timestamp with time zone),
      cast("given"."failures" as int),
      cast("given"."failed_at" as timestamp with time zone),
      cast("given"."last_error" as text),
      cast("given"."created_at" as timestamp with time zone),
      cast("given"."updated_at" as timestamp with time zone)
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
    order by "given"."name"
    on conflict ("name")
    do nothing
    returning "skipjack"."job_schedules"."name"
  )
select "written"."name"
from "written"
