-- parameters: aggregate_types, aggregate_ids
delete from "skipjack"."outbox_blocked"
using unnest(cast(
  ?
  as text[]
), cast(
  ?
  as text[]
)) as "given" ("aggregate_type", "aggregate_id")
where (
  "skipjack"."outbox_blocked"."aggregate_type" = "given"."aggregate_type"
  and "skipjack"."outbox_blocked"."aggregate_id" = "given"."aggregate_id"
  and "skipjack"."outbox_blocked"."retry_at" is not null
  and not exists (
    select 1 as "one"
    from "skipjack"."outbox_events"
    where (
      "skipjack"."outbox_events"."status" = 'blocked'
      and "skipjack"."outbox_events"."aggregate_type" = "skipjack"."outbox_blocked"."aggregate_type"
      and "skipjack"."outbox_events"."aggregate_id" = "skipjack"."outbox_blocked"."aggregate_id"
    )
  )
)
returning "skipjack"."outbox_blocked"."shard"
