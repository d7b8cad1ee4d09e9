-- parameters: queue
select
  "skipjack"."job_groups"."queue",
  "skipjack"."job_groups"."group_key",
  "skipjack"."job_groups"."weight",
  "skipjack"."job_groups"."max_running",
  "skipjack"."job_groups"."paused_at",
  "skipjack"."job_groups"."updated_at"
from "skipjack"."job_groups"
where "skipjack"."job_groups"."queue" = cast(? as text)
order by "skipjack"."job_groups"."group_key"
fetch next 1000 rows only
