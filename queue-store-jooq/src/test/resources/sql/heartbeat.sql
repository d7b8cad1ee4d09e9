-- parameters: job_ids, execution_ids, lease, job_ids, execution_ids
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
  "renewed" as (
    update "skipjack"."jobs"
    set
      "lease_expires_at" = clock_timestamp() + cast(? as double precision) * interval '1 microsecond'
    where "skipjack"."jobs"."id" = any (
      array(
        select "locked"."id"
        from "locked"
      )
    )
    returning 
      "skipjack"."jobs"."id",
      "skipjack"."jobs"."current_execution_id" as "execution_id",
      ("skipjack"."jobs"."cancel_requested_at" is not null) as "is_cancelled"
  )
select
  case
    when "renewed"."id" is not null then 'DONE'
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
  coalesce("renewed"."is_cancelled", false),
  case
    when "renewed"."id" is null then (
      select coalesce("skipjack"."jobs"."current_execution_id", 0)
      from "skipjack"."jobs"
      where "skipjack"."jobs"."id" = "given"."job_id"
    )
  end
from unnest(cast(
  ?
  as bigint[]
), cast(
  ?
  as bigint[]
)) with ordinality as "given" ("job_id", "execution_id", "position")
  left outer join "renewed"
    on (
      "renewed"."id" = "given"."job_id"
      and "renewed"."execution_id" = "given"."execution_id"
    )
order by "given"."position"
