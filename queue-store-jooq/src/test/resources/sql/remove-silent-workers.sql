-- parameters: silence, silence
with
  "gone" as materialized (
    select "skipjack"."job_workers"."boot_id"
    from "skipjack"."job_workers"
    where (
      "skipjack"."job_workers"."seen_at" < clock_timestamp() - cast(? as double precision) * interval '1 microsecond'
      or "skipjack"."job_workers"."seen_at" > clock_timestamp() + cast(? as double precision) * interval '1 microsecond'
    )
    for update skip locked
  ),
  "removed" as (
    delete from "skipjack"."job_workers"
    where "skipjack"."job_workers"."boot_id" = any (
      array(
        select "gone"."boot_id"
        from "gone"
      )
    )
    returning "skipjack"."job_workers"."boot_id"
  )
select count(*)
from "removed"
