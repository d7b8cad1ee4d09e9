-- parameters: age
select "skipjack"."job_schedules"."name", "skipjack"."job_schedules"."declared_at", "skipjack"."job_schedules"."in_code"
from "skipjack"."job_schedules"
where (
  "skipjack"."job_schedules"."origin" = 'code'
  and "skipjack"."job_schedules"."paused_at" is null
  and "skipjack"."job_schedules"."declared_at" < clock_timestamp() - cast(? as double precision) * interval '1 microsecond'
)
order by "skipjack"."job_schedules"."declared_at", "skipjack"."job_schedules"."name"
fetch next 100 rows only
