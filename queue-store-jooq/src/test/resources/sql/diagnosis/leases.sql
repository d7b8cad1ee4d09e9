-- parameters: 
select
  count(*) as "running",
  count(*) filter (where "running"."lease_expires_at" < now()) as "expired",
  min("running"."lease_expires_at") as "first",
  now() as "now"
from (
  select "skipjack"."jobs"."lease_expires_at"
  from "skipjack"."jobs"
  where "skipjack"."jobs"."status" = 'running'
  order by "skipjack"."jobs"."current_execution_id"
  fetch next 10001 rows only
) as "running"
