-- parameters: queue, after_queue, after_kind, after, limit, age, kind
with
  "page" as materialized (
    select "skipjack"."jobs"."queue", "skipjack"."jobs"."kind", "skipjack"."jobs"."id", "skipjack"."jobs"."died_at"
    from "skipjack"."jobs"
    where (
      "skipjack"."jobs"."status" = 'dead'
      and "skipjack"."jobs"."queue" <= cast(? as text)
      and ("skipjack"."jobs"."queue", "skipjack"."jobs"."kind", "skipjack"."jobs"."id") > (
        cast(? as text),
        cast(? as text),
        ?
      )
    )
    order by "skipjack"."jobs"."queue", "skipjack"."jobs"."kind", "skipjack"."jobs"."id"
    fetch next ? rows only
  )
select
  "page"."queue",
  "page"."kind",
  "page"."id",
  (
    "page"."died_at" <= clock_timestamp() - cast(? as double precision) * interval '1 microsecond'
    and "page"."kind" = cast(? as text)
  )
from "page"
order by "page"."queue", "page"."kind", "page"."id"
