-- parameters: worker, queues, kinds, completed, failed, dead, cancelled, snoozed, lost, waits, runs
with
  "added" as (
    insert into "skipjack"."job_minutes" (
      "minute",
      "queue",
      "kind",
      "worker_id",
      "completed",
      "failed",
      "dead",
      "cancelled",
      "snoozed",
      "lost",
      "waits",
      "runs"
    )
    select
      date_trunc('minute', clock_timestamp() - interval '20 seconds'),
      "given"."queue",
      "given"."kind",
      cast(? as text),
      "given"."completed",
      "given"."failed",
      "given"."dead",
      "given"."cancelled",
      "given"."snoozed",
      "given"."lost",
      cast("given"."waits" as int[]),
      cast("given"."runs" as int[])
    from unnest(cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as int[]
    ), cast(
      ?
      as int[]
    ), cast(
      ?
      as int[]
    ), cast(
      ?
      as int[]
    ), cast(
      ?
      as int[]
    ), cast(
      ?
      as int[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    )) as "given" (
      "queue",
      "kind",
      "completed",
      "failed",
      "dead",
      "cancelled",
      "snoozed",
      "lost",
      "waits",
      "runs"
    )
    returning "skipjack"."job_minutes"."queue"
  )
select count(*)
from "added"
