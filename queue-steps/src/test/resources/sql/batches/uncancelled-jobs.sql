-- parameters: batch, limit
select "skipjack"."jobs"."id"
from "skipjack"."jobs"
where (
  "skipjack"."jobs"."owner_id" = ?
  and "skipjack"."jobs"."status" > 'dead'
  and "skipjack"."jobs"."cancel_requested_at" is null
)
order by "skipjack"."jobs"."status", "skipjack"."jobs"."id"
fetch next ? rows only
