-- parameters: event_ids
delete from "skipjack"."outbox_events"
where "skipjack"."outbox_events"."event_id" = any (
  cast(
    ?
    as uuid[]
  )
)
returning "skipjack"."outbox_events"."event_id"
