-- parameters: 
select
  "skipjack"."job_schedules"."name",
  "skipjack"."job_schedules"."queue",
  "skipjack"."job_schedules"."kind",
  "skipjack"."job_schedules"."due_at",
  "skipjack"."job_schedules"."failures",
  "skipjack"."job_schedules"."last_error",
  now() as "now"
from "skipjack"."job_schedules"
where "skipjack"."job_schedules"."paused_at" is null
order by "skipjack"."job_schedules"."name"
fetch next 1000 rows only
