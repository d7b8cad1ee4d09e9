-- parameters: aggregate_types, aggregate_ids, aggregate_types, aggregate_ids
with
  "stopped" as (
    update "skipjack"."outbox_blocked"
    set
      "retry_at" = cast(null as timestamp with time zone)
    from unnest(cast(
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
      and (
        select "skipjack"."outbox_events"."position"
        from "skipjack"."outbox_events"
        where (
          "skipjack"."outbox_events"."status" = 'dead'
          and "skipjack"."outbox_events"."aggregate_type" = "skipjack"."outbox_blocked"."aggregate_type"
          and "skipjack"."outbox_events"."aggregate_id" = "skipjack"."outbox_blocked"."aggregate_id"
        )
        order by "skipjack"."outbox_events"."position"
        fetch next 1 rows only
      ) < coalesce(
        (
          select "skipjack"."outbox_events"."position"
          from "skipjack"."outbox_events"
          where (
            "skipjack"."outbox_events"."status" = 'blocked'
            and "skipjack"."outbox_events"."aggregate_type" = "skipjack"."outbox_blocked"."aggregate_type"
            and "skipjack"."outbox_events"."aggregate_id" = "skipjack"."outbox_blocked"."aggregate_id"
          )
          order by "skipjack"."outbox_events"."position"
          fetch next 1 rows only
        ),
        9223372036854775807
      )
    )
    returning "skipjack"."outbox_blocked"."shard"
  )
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
  and not exists (
    select 1 as "one"
    from "skipjack"."outbox_events"
    where (
      "skipjack"."outbox_events"."status" = 'dead'
      and "skipjack"."outbox_events"."aggregate_type" = "skipjack"."outbox_blocked"."aggregate_type"
      and "skipjack"."outbox_events"."aggregate_id" = "skipjack"."outbox_blocked"."aggregate_id"
    )
  )
)
returning "skipjack"."outbox_blocked"."shard"
