-- parameters: after
select min("skipjack"."jobs"."current_execution_id")
from "skipjack"."jobs"
where (
  "skipjack"."jobs"."status" = 'running'
  and "skipjack"."jobs"."current_execution_id" > ?
)
