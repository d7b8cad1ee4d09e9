-- parameters: id
select
  "skipjack"."job_executions"."id",
  "skipjack"."job_executions"."attempt",
  "skipjack"."job_executions"."status",
  "skipjack"."job_executions"."queue",
  "skipjack"."job_executions"."worker_id",
  "skipjack"."job_executions"."started_at",
  "skipjack"."job_executions"."finished_at",
  "skipjack"."job_executions"."error_class",
  "skipjack"."job_executions"."error_message",
  cast(null as text)
from "skipjack"."job_executions"
where "skipjack"."job_executions"."job_id" = ?
order by "skipjack"."job_executions"."attempt" desc, "skipjack"."job_executions"."id" desc
fetch next 1000 rows only
