-- parameters: batch, before, limit
select "skipjack"."jobs"."id"
from "skipjack"."jobs"
where (
  "skipjack"."jobs"."owner_id" = ?
  and "skipjack"."jobs"."status" < 'pending'
  and "skipjack"."jobs"."id" < ?
)
order by "skipjack"."jobs"."status" desc, "skipjack"."jobs"."id" desc
fetch next ? rows only
