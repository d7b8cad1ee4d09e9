-- parameters: job_ids, execution_ids, job_ids, execution_ids, percents, messages, job_ids, execution_ids, percents, messages
with
  "locked" as materialized (
    select
      "skipjack"."jobs"."id",
      ("skipjack"."jobs"."cancel_requested_at" is not null) as "is_cancelled"
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
  "reported" as (
    update "skipjack"."jobs"
    set
      "progress" = "pg_catalog"."jsonb_strip_nulls"("pg_catalog"."jsonb_build_object"(
        'percent',
        "given"."percent",
        'message',
        "given"."message",
        'at',
        clock_timestamp()
      ))
    from unnest(cast(
      ?
      as bigint[]
    ), cast(
      ?
      as bigint[]
    ), cast(
      ?
      as int[]
    ), cast(
      ?
      as text[]
    )) with ordinality as "given" (
      "job_id",
      "execution_id",
      "percent",
      "message",
      "position"
    )
    where (
      "skipjack"."jobs"."id" = "given"."job_id"
      and "skipjack"."jobs"."current_execution_id" = "given"."execution_id"
      and "skipjack"."jobs"."id" = any (
        array(
          select "locked"."id"
          from "locked"
        )
      )
    )
    returning 
      "skipjack"."jobs"."id",
      "skipjack"."jobs"."current_execution_id" as "execution_id"
  )
select case
  when "reported"."id" is not null then 'DONE'
  when exists (
    select 1 as "one"
    from "skipjack"."jobs"
    where (
      "skipjack"."jobs"."id" = "given"."job_id"
      and "skipjack"."jobs"."current_execution_id" = "given"."execution_id"
    )
  ) then 'BUSY'
  else 'LOST'
end
from unnest(cast(
  ?
  as bigint[]
), cast(
  ?
  as bigint[]
), cast(
  ?
  as int[]
), cast(
  ?
  as text[]
)) with ordinality as "given" (
  "job_id",
  "execution_id",
  "percent",
  "message",
  "position"
)
  left outer join "reported"
    on (
      "reported"."id" = "given"."job_id"
      and "reported"."execution_id" = "given"."execution_id"
    )
order by "given"."position"
