-- parameters: job_ids, execution_ids
select "skipjack"."jobs"."current_execution_id"
from "skipjack"."jobs"
where (
  "skipjack"."jobs"."id" = any (
    cast(
      ?
      as bigint[]
    )
  )
  and "skipjack"."jobs"."current_execution_id" = any (
    cast(
      ?
      as bigint[]
    )
  )
  and "skipjack"."jobs"."cancel_requested_at" is not null
)
