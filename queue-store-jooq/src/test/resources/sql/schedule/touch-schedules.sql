-- parameters: names
with
  "written" as (
    update "skipjack"."job_schedules"
    set
      "declared_at" = clock_timestamp()
    where (
      "skipjack"."job_schedules"."name" = any (
        cast(
          ?
          as text[]
        )
      )
      and "skipjack"."job_schedules"."origin" = 'code'
    )
    returning "skipjack"."job_schedules"."name"
  )
select "written"."name"
from "written"
