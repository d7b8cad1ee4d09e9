-- parameters: shards, lease_ids
update "skipjack"."outbox_shards"
set
  "lease_expires_at" = cast(null as timestamp with time zone)
from unnest(cast(
  ?
  as smallint[]
), cast(
  ?
  as bigint[]
)) as "given" ("shard", "lease_id")
where (
  "skipjack"."outbox_shards"."shard" = "given"."shard"
  and "skipjack"."outbox_shards"."lease_id" = "given"."lease_id"
)
returning "skipjack"."outbox_shards"."shard"
