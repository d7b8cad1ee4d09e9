-- parameters: event_id, event_id
select
  "skipjack"."outbox_events"."event_id",
  "skipjack"."outbox_events"."aggregate_type",
  "skipjack"."outbox_events"."aggregate_id",
  "skipjack"."outbox_events"."event_type",
  "skipjack"."outbox_events"."content_type",
  "skipjack"."outbox_events"."traceparent",
  "skipjack"."outbox_events"."recorded_at",
  "skipjack"."outbox_events"."attempts",
  cast("skipjack"."outbox_events"."status" as text),
  left("skipjack"."outbox_events"."last_error", 2000),
  "skipjack"."outbox_events"."died_at",
  cast(null as timestamp with time zone)
from "skipjack"."outbox_events"
where "skipjack"."outbox_events"."event_id" = cast(? as uuid)
union all
select
  "skipjack"."outbox_published"."event_id",
  "skipjack"."outbox_published"."aggregate_type",
  "skipjack"."outbox_published"."aggregate_id",
  "skipjack"."outbox_published"."event_type",
  "skipjack"."outbox_published"."content_type",
  "skipjack"."outbox_published"."traceparent",
  "skipjack"."outbox_published"."recorded_at",
  "skipjack"."outbox_published"."attempts",
  'published',
  cast(null as text),
  cast(null as timestamp with time zone),
  "skipjack"."outbox_published"."published_at"
from "skipjack"."outbox_published"
where "skipjack"."outbox_published"."event_id" = cast(? as uuid)
