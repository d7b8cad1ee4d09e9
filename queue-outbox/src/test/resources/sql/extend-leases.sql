-- parameters: lease, shards, lease_ids
update "skipjack"."outbox_shards"
set
  "lease_expires_at" = clock_timestamp() + cast(? as double precision) * interval '1 microsecond'
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
  and "skipjack"."outbox_shards"."lease_expires_at" is not null
)
returning "skipjack"."outbox_shards"."shard"
