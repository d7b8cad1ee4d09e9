-- parameters: job_id, execution_id
select exists (
  select 1 as "one"
  from "skipjack"."jobs"
  where (
    "skipjack"."jobs"."id" = ?
    and "skipjack"."jobs"."current_execution_id" = ?
  )
)
