-- parameters: event_ids
with
  "removed" as (
    delete from "skipjack"."outbox_events"
    where "skipjack"."outbox_events"."event_id" = any (
      cast(
        ?
        as uuid[]
      )
    )
    returning 
      "skipjack"."outbox_events"."position",
      "skipjack"."outbox_events"."recorded_at",
      "skipjack"."outbox_events"."attempts",
      "skipjack"."outbox_events"."event_id",
      "skipjack"."outbox_events"."aggregate_type",
      "skipjack"."outbox_events"."aggregate_id",
      "skipjack"."outbox_events"."event_type",
      "skipjack"."outbox_events"."content_type",
      "skipjack"."outbox_events"."headers",
      "skipjack"."outbox_events"."traceparent",
      "skipjack"."outbox_events"."payload"
  ),
  "kept" as (
    insert into "skipjack"."outbox_published" (
      "position",
      "recorded_at",
      "attempts",
      "event_id",
      "aggregate_type",
      "aggregate_id",
      "event_type",
      "content_type",
      "headers",
      "traceparent",
      "payload"
    )
    select
      "removed"."position",
      "removed"."recorded_at",
      "removed"."attempts",
      "removed"."event_id",
      "removed"."aggregate_type",
      "removed"."aggregate_id",
      "removed"."event_type",
      "removed"."content_type",
      "removed"."headers",
      "removed"."traceparent",
      "removed"."payload"
    from "removed"
    returning "skipjack"."outbox_published"."event_id"
  )
select "removed"."event_id"
from "removed"
