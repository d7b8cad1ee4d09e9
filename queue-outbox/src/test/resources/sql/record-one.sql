-- parameters: event_id, shard, aggregate_type, aggregate_id, event_type, content_type, headers, traceparent, payload
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
values (
  cast(? as uuid), 
  cast(? as smallint), 
  cast(? as text), 
  cast(? as text), 
  cast(? as text), 
  cast(? as text), 
  pg_catalog.jsonb_object(cast(cast(? as text) as pg_catalog.text[])), 
  cast(? as text), 
  cast(? as bytea)
)
returning "skipjack"."outbox_events"."position"
