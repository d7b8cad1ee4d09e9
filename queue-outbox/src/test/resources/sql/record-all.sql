-- parameters: event_ids, shards, aggregate_types, aggregate_ids, event_types, content_types, headers, traceparents, payloads
insert into "skipjack"."outbox_events" (
  "event_id",
  "shard",
  "aggregate_type",
  "aggregate_id",
  "event_type",
  "content_type",
  "headers",
  "traceparent",
  "payload"
)
select
  "given"."event_id",
  "given"."shard",
  "given"."aggregate_type",
  "given"."aggregate_id",
  "given"."event_type",
  "given"."content_type",
  pg_catalog.jsonb_object(cast("given"."headers" as pg_catalog.text[])),
  "given"."traceparent",
  "given"."payload"
from unnest(cast(
  ?
  as uuid[]
), cast(
  ?
  as smallint[]
), cast(
  ?
  as text[]
), cast(
  ?
  as text[]
), cast(
  ?
  as text[]
), cast(
  ?
  as text[]
), cast(
  ?
  as text[]
), cast(
  ?
  as text[]
), cast(
  ?
  as bytea[]
)) with ordinality as "given" (
  "event_id",
  "shard",
  "aggregate_type",
  "aggregate_id",
  "event_type",
  "content_type",
  "headers",
  "traceparent",
  "payload",
  "position"
)
order by "given"."position"
returning "skipjack"."outbox_events"."position"
