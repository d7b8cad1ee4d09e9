-- parameters: 
select
  "skipjack"."job_schedules"."name",
  "skipjack"."job_schedules"."queue",
  "skipjack"."job_schedules"."kind",
  -(cast(extract(epoch from greatest(least("skipjack"."job_schedules"."due_at", clock_timestamp() + interval '100 days'), clock_timestamp() - interval '100 days') - clock_timestamp()) * 1000000 as bigint)) as "overdue",
  "skipjack"."job_schedules"."failures",
  left("skipjack"."job_schedules"."last_error", 1000) as "last_error"
from "skipjack"."job_schedules"
where "skipjack"."job_schedules"."paused_at" is null
order by
  (
    "skipjack"."job_schedules"."failures" > 0
    or (
      "skipjack"."job_schedules"."due_at" is not null
      and "skipjack"."job_schedules"."due_at" < now()
    )
  ) desc,
  "skipjack"."job_schedules"."name"
fetch next 1000 rows only
