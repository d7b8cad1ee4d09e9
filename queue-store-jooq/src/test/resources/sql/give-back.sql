-- parameters: job_ids, execution_ids, job_ids, execution_ids, delays, closed_as, job_ids, execution_ids, delays, closed_as
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
      "status" = 'pending',
      "scheduled_at" = clock_timestamp() + "given"."delay" * interval '1 microsecond',
      "forgiven" = least(
        ("skipjack"."jobs"."forgiven" + 1),
        "skipjack"."jobs"."attempts"
      ),
      "current_execution_id" = cast(null as bigint),
      "lease_expires_at" = cast(null as timestamp with time zone),
      "updated_at" = clock_timestamp()
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
      as varchar[]
    )) with ordinality as "given" (
      "job_id",
      "execution_id",
      "delay",
      "closed_as",
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
    returning "skipjack"."jobs"."id", "skipjack"."jobs"."started_at", "given"."execution_id", "given"."closed_as"
  ),
  "closed" as (
    update "skipjack"."job_executions"
    set
      "status" = "ended"."closed_as",
      "finished_at" = clock_timestamp()
    from "ended"
    where (
      "skipjack"."job_executions"."id" = "ended"."execution_id"
      and "skipjack"."job_executions"."started_at" = "ended"."started_at"
    )
    returning "skipjack"."job_executions"."id"
  )
select case
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
end
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
  as varchar[]
)) with ordinality as "given" (
  "job_id",
  "execution_id",
  "delay",
  "closed_as",
  "position"
)
  left outer join "ended"
    on (
      "ended"."id" = "given"."job_id"
      and "ended"."execution_id" = "given"."execution_id"
    )
order by "given"."position"
