-- parameters: 
select
  "skipjack"."outbox_shards"."shard",
  (
    select "skipjack"."outbox_events"."position"
    from "skipjack"."outbox_events"
    where (
      "skipjack"."outbox_events"."status" = 'pending'
      and "skipjack"."outbox_events"."shard" = "skipjack"."outbox_shards"."shard"
    )
    order by "skipjack"."outbox_events"."position"
    fetch next 1 rows only
  ) as "position"
from "skipjack"."outbox_shards"
order by "skipjack"."outbox_shards"."shard"
