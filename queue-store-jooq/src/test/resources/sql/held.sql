-- parameters: after, worker, worker, boot_id, limit
select
  "skipjack"."jobs"."id",
  "skipjack"."jobs"."current_execution_id",
  "skipjack"."jobs"."queue",
  "skipjack"."jobs"."kind",
  cast(null as jsonb) as "payload",
  "skipjack"."jobs"."payload_version",
  "skipjack"."jobs"."priority",
  "skipjack"."jobs"."attempts",
  "skipjack"."jobs"."uncounted_attempts",
  "skipjack"."jobs"."max_attempts",
  "skipjack"."jobs"."scheduled_at",
  "skipjack"."jobs"."started_at",
  "skipjack"."jobs"."locked_by",
  "skipjack"."jobs"."headers",
  "skipjack"."jobs"."ordering_key"
from "skipjack"."jobs"
where (
  "skipjack"."jobs"."status" = 'running'
  and "skipjack"."jobs"."current_execution_id" > ?
  and "skipjack"."jobs"."locked_by" = ?
  and not exists (
    select 1 as "one"
    from "skipjack"."job_workers"
    where (
      (("skipjack"."job_workers"."name" || '/') || left(
        cast("skipjack"."job_workers"."boot_id" as text),
        8
      )) = ?
      and "skipjack"."job_workers"."boot_id" <> cast(? as uuid)
    )
  )
)
order by "skipjack"."jobs"."current_execution_id"
fetch next ? rows only
