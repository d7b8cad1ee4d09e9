-- parameters: age
with
  "expired" as materialized (
    select "skipjack"."inbox_events"."event_id", "skipjack"."inbox_events"."consumer"
    from "skipjack"."inbox_events"
    where "skipjack"."inbox_events"."received_at" < statement_timestamp() + cast(? as double precision) * interval '1 microsecond'
    order by "skipjack"."inbox_events"."received_at"
    fetch next 5000 rows only
    for update skip locked
  )
delete from "skipjack"."inbox_events"
using "expired"
where (
  "skipjack"."inbox_events"."event_id" = "expired"."event_id"
  and "skipjack"."inbox_events"."consumer" = "expired"."consumer"
)
returning "skipjack"."inbox_events"."event_id"
