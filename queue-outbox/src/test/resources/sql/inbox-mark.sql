-- parameters: consumer, event_id
insert into "skipjack"."inbox_events" ("consumer", "event_id")
values (
  cast(? as text), 
  cast(? as uuid)
)
on conflict
do nothing
returning "skipjack"."inbox_events"."event_id"
