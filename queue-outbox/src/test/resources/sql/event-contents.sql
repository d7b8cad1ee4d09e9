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
  "skipjack"."outbox_events"."position",
  "skipjack"."outbox_events"."payload",
  array(select unnest(array[header.key, header.value]) from jsonb_each_text("skipjack"."outbox_events"."headers") as header) as "header_texts"
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
  "skipjack"."outbox_published"."position",
  "skipjack"."outbox_published"."payload",
  array(select unnest(array[header.key, header.value]) from jsonb_each_text("skipjack"."outbox_published"."headers") as header) as "header_texts"
from "skipjack"."outbox_published"
where "skipjack"."outbox_published"."event_id" = cast(? as uuid)
