-- parameters: id, execution
select "skipjack"."jobs"."limit_name", "skipjack"."jobs"."group_key", "skipjack"."job_limits"."rate_per_group"
from "skipjack"."jobs"
  join "skipjack"."job_limits"
    on "skipjack"."job_limits"."name" = "skipjack"."jobs"."limit_name"
where (
  "skipjack"."jobs"."id" = ?
  and "skipjack"."jobs"."current_execution_id" = ?
)
