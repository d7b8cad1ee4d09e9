-- parameters: queue, kind, after_queue, after_kind, after, age, limit
select "skipjack"."jobs"."queue", "skipjack"."jobs"."kind", "skipjack"."jobs"."id"
from "skipjack"."jobs"
where (
  "skipjack"."jobs"."status" = 'dead'
  and "skipjack"."jobs"."queue" = ?
  and "skipjack"."jobs"."kind" = ?
  and ("skipjack"."jobs"."queue", "skipjack"."jobs"."kind", "skipjack"."jobs"."id") > (?, ?, ?)
  and "skipjack"."jobs"."died_at" + cast(? as double precision) * interval '1 microsecond' <= clock_timestamp()
)
order by "skipjack"."jobs"."queue", "skipjack"."jobs"."kind", "skipjack"."jobs"."id"
fetch next ? rows only
