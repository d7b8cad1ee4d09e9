-- parameters: names
with
  "written" as (
    update "skipjack"."job_schedules"
    set
      "paused_at" = clock_timestamp(),
      "requested_at" = cast(null as timestamp with time zone),
      "updated_at" = clock_timestamp()
    where "skipjack"."job_schedules"."name" = any (
      cast(
        ?
        as text[]
      )
    )
    returning "skipjack"."job_schedules"."name"
  )
select "written"."name"
from "written"
