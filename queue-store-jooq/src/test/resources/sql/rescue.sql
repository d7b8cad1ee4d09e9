-- parameters: after, limit, spread
with
  "expired" as materialized (
    select "skipjack"."jobs"."id", "skipjack"."jobs"."current_execution_id"
    from "skipjack"."jobs"
    where (
      "skipjack"."jobs"."status" = 'running'
      and "skipjack"."jobs"."current_execution_id" > ?
      and "skipjack"."jobs"."lease_expires_at" < clock_timestamp()
    )
    order by "skipjack"."jobs"."current_execution_id"
    fetch next ? rows only
    for no key update skip locked
  ),
  "ended" as (
    update "skipjack"."jobs"
    set
      "status" = case
        when ("skipjack"."jobs"."attempts" - "skipjack"."jobs"."forgiven") >= "skipjack"."jobs"."max_attempts" then 'dead'
        else 'pending'
      end,
      "scheduled_at" = case
        when ("skipjack"."jobs"."attempts" - "skipjack"."jobs"."forgiven") >= "skipjack"."jobs"."max_attempts" then "skipjack"."jobs"."scheduled_at"
        else clock_timestamp() + cast(
          (? * random())
          as bigint
        ) * interval '1 microsecond'
      end,
      "died_at" = case
        when ("skipjack"."jobs"."attempts" - "skipjack"."jobs"."forgiven") >= "skipjack"."jobs"."max_attempts" then clock_timestamp()
      end,
      "unique_key" = case
        when (
          ("skipjack"."jobs"."attempts" - "skipjack"."jobs"."forgiven") >= "skipjack"."jobs"."max_attempts"
          and "skipjack"."jobs"."unique_until" is distinct from 'ended'
        ) then cast(null as text)
        else "skipjack"."jobs"."unique_key"
      end,
      "current_execution_id" = cast(null as bigint),
      "lease_expires_at" = cast(null as timestamp with time zone),
      "updated_at" = clock_timestamp(),
      "last_error" = 'The lease ran out: the worker died, hung, or lost the database.'
    from "expired"
    where "skipjack"."jobs"."id" = "expired"."id"
    returning 
      "skipjack"."jobs"."id",
      "expired"."current_execution_id" as "execution_id",
      "skipjack"."jobs"."queue",
      "skipjack"."jobs"."kind",
      "skipjack"."jobs"."status",
      "skipjack"."jobs"."started_at"
  ),
  "closed" as (
    update "skipjack"."job_executions"
    set
      "status" = 'lost',
      "finished_at" = clock_timestamp(),
      "error_message" = 'The lease ran out: the worker died, hung, or lost the database.'
    from "ended"
    where (
      "skipjack"."job_executions"."id" = "ended"."execution_id"
      and "skipjack"."job_executions"."started_at" = "ended"."started_at"
    )
    returning "skipjack"."job_executions"."id"
  )
select
  "ended"."id",
  "ended"."execution_id",
  "ended"."queue",
  "ended"."kind",
  "ended"."status",
  "ended"."started_at"
from "ended"
