-- parameters: queue, kind, after, age, limit
select "skipjack"."jobs"."id"
from "skipjack"."jobs"
where (
  "skipjack"."jobs"."status" = 'dead'
  and "skipjack"."jobs"."queue" = ?
  and "skipjack"."jobs"."kind" = ?
  and "skipjack"."jobs"."id" > ?
  and "skipjack"."jobs"."died_at" + ? * interval '1 microsecond' <= clock_timestamp()
)
order by "skipjack"."jobs"."id"
fetch next ? rows only
