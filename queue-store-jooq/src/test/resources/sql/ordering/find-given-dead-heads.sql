-- parameters: keys, limit
with
  "dead" as materialized (
    select
      "skipjack"."jobs"."id",
      "skipjack"."jobs"."ordering_key",
      "skipjack"."jobs"."queue",
      "skipjack"."jobs"."ordering_policy",
      "skipjack"."jobs"."died_at"
    from "skipjack"."jobs"
    where (
      "skipjack"."jobs"."ordering_head"
      and "skipjack"."jobs"."status" = 'dead'
      and "skipjack"."jobs"."died_at" is not null
      and "skipjack"."jobs"."ordering_key" = any (
        cast(
          ?
          as text[]
        )
      )
    )
    order by "skipjack"."jobs"."ordering_key"
    fetch next ? rows only
  )
select
  "dead"."id",
  "dead"."ordering_key",
  "dead"."died_at",
  coalesce(
    (
      select "skipjack"."job_queues"."ordering_policy"
      from "skipjack"."job_queues"
      where "skipjack"."job_queues"."queue" = "dead"."queue"
    ),
    "dead"."ordering_policy",
    'block'
  )
from "dead"
order by "dead"."ordering_key"
