-- parameters: names, versions, delays, errors
with
  "locked" as materialized (
    select "skipjack"."job_schedules"."name", "failed"."error", "failed"."delay"
    from "skipjack"."job_schedules"
      join unnest(cast(
        ?
        as text[]
      ), cast(
        ?
        as text[]
      ), cast(
        ?
        as bigint[]
      ), cast(
        ?
        as text[]
      )) as "failed" ("name", "version", "delay", "error")
        on "skipjack"."job_schedules"."name" = "failed"."name"
    where cast("skipjack"."job_schedules".xmin as text) = "failed"."version"
    order by "skipjack"."job_schedules"."name"
    for update of "job_schedules" skip locked
  ),
  "postponed" as (
    update "skipjack"."job_schedules"
    set
      "due_at" = clock_timestamp() + cast("locked"."delay" as double precision) * interval '1 microsecond',
      "failures" = (least(
        greatest("skipjack"."job_schedules"."failures", 0),
        999999
      ) + 1),
      "failed_at" = clock_timestamp(),
      "last_error" = "locked"."error"
    from "locked"
    where "skipjack"."job_schedules"."name" = "locked"."name"
    returning "skipjack"."job_schedules"."name"
  )
select "postponed"."name"
from "postponed"
