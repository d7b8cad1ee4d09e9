-- parameters: after
select min("expired"."current_execution_id")
from (
  select
    "skipjack"."jobs"."id",
    "skipjack"."jobs"."current_execution_id",
    ("skipjack"."jobs"."cancel_requested_at" is not null) as "is_cancelled"
  from "skipjack"."jobs"
  where (
    "skipjack"."jobs"."status" = 'running'
    and "skipjack"."jobs"."current_execution_id" > ?
    and "skipjack"."jobs"."lease_expires_at" < clock_timestamp()
    and "skipjack"."jobs"."current_execution_id" = (
      select "seen"."current_execution_id"
      from "skipjack"."jobs" as "seen"
      where "seen"."id" = "skipjack"."jobs"."id"
    )
  )
  order by "skipjack"."jobs"."current_execution_id"
  fetch next 1 rows only
) as "expired"
