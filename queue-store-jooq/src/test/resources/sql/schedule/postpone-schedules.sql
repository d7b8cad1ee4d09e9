-- parameters: names, planned_at, updated_at, due_at, delays, errors
with
  "locked" as materialized (
    select "skipjack"."job_schedules"."name", "failed"."error", "failed"."delay"
    from "skipjack"."job_schedules"
      join unnest(cast(
        ?
        as text[]
      ), cast(
        ?
        as timestamp with time zone[]
      ), cast(
        ?
        as timestamp with time zone[]
      ), cast(
        ?
        as timestamp with time zone[]
      ), cast(
        ?
        as bigint[]
      ), cast(
        ?
        as text[]
      )) as "failed" (
        "name",
        "planned_at",
        "updated_at",
        "due_at",
        "delay",
        "error"
      )
        on "skipjack"."job_schedules"."name" = "failed"."name"
    where (
      "skipjack"."job_schedules"."next_at" is not distinct from "failed"."planned_at"
      and "skipjack"."job_schedules"."updated_at" = "failed"."updated_at"
      and "skipjack"."job_schedules"."due_at" = "failed"."due_at"
    )
    order by "skipjack"."job_schedules"."name"
    for update of "job_schedules" skip locked
  ),
  "postponed" as (
    update "skipjack"."job_schedules"
    set
      "due_at" = clock_timestamp() + cast("locked"."delay" as double precision) * interval '1 microsecond',
      "failures" = ("skipjack"."job_schedules"."failures" + 1),
      "failed_at" = clock_timestamp(),
      "last_error" = "locked"."error"
    from "locked"
    where "skipjack"."job_schedules"."name" = "locked"."name"
    returning "skipjack"."job_schedules"."name"
  )
select "postponed"."name"
from "postponed"
