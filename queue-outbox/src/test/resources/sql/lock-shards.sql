-- parameters: shards, lease_ids
select "skipjack"."outbox_shards"."shard"
from "skipjack"."outbox_shards"
  join unnest(cast(
    ?
    as smallint[]
  ), cast(
    ?
    as bigint[]
  )) as "given" ("shard", "lease_id")
    on (
      "skipjack"."outbox_shards"."shard" = "given"."shard"
      and "skipjack"."outbox_shards"."lease_id" = "given"."lease_id"
    )
order by "skipjack"."outbox_shards"."shard"
for no key update of "outbox_shards"
