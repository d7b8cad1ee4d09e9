-- parameters: names
with
  "written" as (
    delete from "skipjack"."job_schedules"
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
