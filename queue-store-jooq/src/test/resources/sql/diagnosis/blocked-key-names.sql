-- parameters: 
select "skipjack"."jobs"."ordering_key", "skipjack"."jobs"."id"
from "skipjack"."jobs"
where (
  "skipjack"."jobs"."ordering_head"
  and "skipjack"."jobs"."status" = 'dead'
  and "skipjack"."jobs"."ordering_key" is not null
)
order by "skipjack"."jobs"."ordering_key"
fetch next 1001 rows only
