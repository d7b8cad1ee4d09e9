-- parameters: job_ids, execution_ids, job_ids, execution_ids, delays, finals, error_classes, error_messages, error_stacks, job_ids, execution_ids, delays, finals, error_classes, error_messages, error_stacks
with
  "locked" as materialized (
    select "skipjack"."jobs"."id"
    from "skipjack"."jobs"
    where (
      "skipjack"."jobs"."id" = any (
        cast(
          ?
          as bigint[]
        )
      )
      and "skipjack"."jobs"."current_execution_id" = any (
        cast(
          ?
          as bigint[]
        )
      )
    )
    order by "skipjack"."jobs"."id"
    for no key update skip locked
  ),
  "ended" as (
    update "skipjack"."jobs"
    set
      "status" = case
        when (
          "given"."is_final" = true
          or ("skipjack"."jobs"."attempts" - "skipjack"."jobs"."forgiven") >= "skipjack"."jobs"."max_attempts"
        ) then 'dead'
        else 'pending'
      end,
      "scheduled_at" = case
        when (
          "given"."is_final" = true
          or ("skipjack"."jobs"."attempts" - "skipjack"."jobs"."forgiven") >= "skipjack"."jobs"."max_attempts"
        ) then "skipjack"."jobs"."scheduled_at"
        else clock_timestamp() + "given"."delay" * interval '1 microsecond'
      end,
      "died_at" = case
        when (
          "given"."is_final" = true
          or ("skipjack"."jobs"."attempts" - "skipjack"."jobs"."forgiven") >= "skipjack"."jobs"."max_attempts"
        ) then clock_timestamp()
      end,
      "unique_key" = case
        when (
          (
            "given"."is_final" = true
            or ("skipjack"."jobs"."attempts" - "skipjack"."jobs"."forgiven") >= "skipjack"."jobs"."max_attempts"
          )
          and "skipjack"."jobs"."unique_until" is distinct from 'ended'
        ) then cast(null as text)
        else "skipjack"."jobs"."unique_key"
      end,
      "current_execution_id" = cast(null as bigint),
      "lease_expires_at" = cast(null as timestamp with time zone),
      "updated_at" = clock_timestamp(),
      "last_error" = "given"."error_message"
    from unnest(cast(
      ?
      as bigint[]
    ), cast(
      ?
      as bigint[]
    ), cast(
      ?
      as bigint[]
    ), cast(
      ?
      as boolean[]
    ), cast(
      ?
      as varchar[]
    ), cast(
      ?
      as varchar[]
    ), cast(
      ?
      as varchar[]
    )) with ordinality as "given" (
      "job_id",
      "execution_id",
      "delay",
      "is_final",
      "error_class",
      "error_message",
      "error_stack",
      "position"
    )
    where (
      "skipjack"."jobs"."id" = "given"."job_id"
      and "skipjack"."jobs"."id" = any (
        array(
          select "locked"."id"
          from "locked"
        )
      )
    )
    returning 
      "skipjack"."jobs"."id",
      "skipjack"."jobs"."status",
      "skipjack"."jobs"."started_at",
      "given"."execution_id",
      "given"."error_class",
      "given"."error_message",
      "given"."error_stack"
  ),
  "closed" as (
    update "skipjack"."job_executions"
    set
      "status" = case
        when "ended"."status" = 'dead' then 'dead'
        else 'failed'
      end,
      "finished_at" = clock_timestamp(),
      "error_class" = "ended"."error_class",
      "error_message" = "ended"."error_message",
      "error_stack" = "ended"."error_stack"
    from "ended"
    where (
      "skipjack"."job_executions"."id" = "ended"."execution_id"
      and "skipjack"."job_executions"."started_at" = "ended"."started_at"
    )
    returning "skipjack"."job_executions"."id"
  )
select
  case
    when "ended"."id" is not null then 'DONE'
    when exists (
      select 1 as "one"
      from "skipjack"."jobs"
      where (
        "skipjack"."jobs"."id" = "given"."job_id"
        and "skipjack"."jobs"."current_execution_id" = "given"."execution_id"
      )
    ) then 'BUSY'
    else 'LOST'
  end,
  coalesce(
    ("ended"."status" = 'dead'),
    false
  )
from unnest(cast(
  ?
  as bigint[]
), cast(
  ?
  as bigint[]
), cast(
  ?
  as bigint[]
), cast(
  ?
  as boolean[]
), cast(
  ?
  as varchar[]
), cast(
  ?
  as varchar[]
), cast(
  ?
  as varchar[]
)) with ordinality as "given" (
  "job_id",
  "execution_id",
  "delay",
  "is_final",
  "error_class",
  "error_message",
  "error_stack",
  "position"
)
  left outer join "ended"
    on (
      "ended"."id" = "given"."job_id"
      and "ended"."execution_id" = "given"."execution_id"
    )
order by "given"."position"
