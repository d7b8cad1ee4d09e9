-- parameters: shards, limit, bytes
select
  "event"."position",
  "event"."event_id",
  "event"."aggregate_type",
  "event"."aggregate_id",
  "event"."event_type",
  "event"."payload",
  "event"."content_type",
  "event"."traceparent",
  "event"."recorded_at",
  "event"."attempts",
  case
    when "event"."headers" <> cast('{}' as jsonb) then array(select unnest(array[header.key, header.value]) from jsonb_each_text("event"."headers") as header)
  end as "header_texts",
  ((
    select "skipjack"."outbox_blocked"."shard"
    from "skipjack"."outbox_blocked"
    where (
      "skipjack"."outbox_blocked"."aggregate_type" = "event"."aggregate_type"
      and "skipjack"."outbox_blocked"."aggregate_id" = "event"."aggregate_id"
    )
  ) is not null) as "is_blocked"
from (
  select
    "found".*,
    sum(pg_catalog.octet_length("found"."payload")) over (
      order by "found"."position"
      rows between unbounded preceding and 1 preceding
    ) as "bytes_before"
  from pg_catalog.unnest(cast(
    ?
    as smallint[]
  )) as "given" ("shard")
    cross join lateral (
      select
        "skipjack"."outbox_events"."position",
        "skipjack"."outbox_events"."event_id",
        "skipjack"."outbox_events"."aggregate_type",
        "skipjack"."outbox_events"."aggregate_id",
        "skipjack"."outbox_events"."event_type",
        "skipjack"."outbox_events"."payload",
        "skipjack"."outbox_events"."content_type",
        "skipjack"."outbox_events"."headers",
        "skipjack"."outbox_events"."traceparent",
        "skipjack"."outbox_events"."recorded_at",
        "skipjack"."outbox_events"."attempts"
      from "skipjack"."outbox_events"
      where (
        "skipjack"."outbox_events"."status" = 'pending'
        and "skipjack"."outbox_events"."shard" = "given"."shard"
      )
      order by "skipjack"."outbox_events"."position"
      fetch next ? rows only
    ) as "found"
) as "event"
where coalesce("event"."bytes_before", 0) < ?
order by "event"."position"
