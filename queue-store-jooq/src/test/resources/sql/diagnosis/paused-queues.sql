-- parameters: 
select
  "skipjack"."job_queues"."queue",
  now() as "now",
  "skipjack"."job_queues"."paused_at",
  "skipjack"."job_queues"."paused_until",
  "skipjack"."job_queues"."paused_by",
  "skipjack"."job_queues"."pause_reason"
from "skipjack"."job_queues"
where (
  "skipjack"."job_queues"."paused_at" is not null
  and (
    "skipjack"."job_queues"."paused_until" is null
    or "skipjack"."job_queues"."paused_until" > now()
  )
)
order by "skipjack"."job_queues"."paused_at", "skipjack"."job_queues"."queue"
fetch next 1001 rows only
