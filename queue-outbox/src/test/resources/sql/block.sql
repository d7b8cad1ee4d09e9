-- parameters: aggregate_types, aggregate_ids, shards, delays
insert into "skipjack"."outbox_blocked" ("aggregate_type", "aggregate_id", "shard", "retry_at")
select
  "given"."aggregate_type",
  "given"."aggregate_id",
  "given"."shard",
  clock_timestamp() + cast("given"."delay" as double precision) * interval '1 microsecond'
from unnest(cast(
  ?
  as text[]
), cast(
  ?
  as text[]
), cast(
  ?
  as smallint[]
), cast(
  ?
  as bigint[]
)) as "given" ("aggregate_type", "aggregate_id", "shard", "delay")
order by "given"."aggregate_type", "given"."aggregate_id"
on conflict ("aggregate_type", "aggregate_id")
do update
set
  "retry_at" = excluded."retry_at",
  "shard" = excluded."shard"
returning "skipjack"."outbox_blocked"."shard"
