-- parameters: shards, lows, limit, bytes
select
  "event"."position",
  "event"."event_id",
  "event"."aggregate_type",
  "event"."aggregate_id",
  "event"."event_type",
  case
    when (
      "event"."payload_bytes" <= 1048576
      and "event"."extra_bytes" <= 65536
    ) then "event"."payload"
  end as "payload",
  case
    when (
      "event"."payload_bytes" <= 1048576
      and "event"."extra_bytes" <= 65536
    ) then "event"."content_type"
  end as "content_type",
  case
    when (
      "event"."payload_bytes" <= 1048576
      and "event"."extra_bytes" <= 65536
    ) then "event"."traceparent"
  end as "traceparent",
  "event"."recorded_at",
  "event"."attempts",
  case
    when (
      "event"."headers" <> cast('{}' as jsonb)
      and "event"."payload_bytes" <= 1048576
      and "event"."extra_bytes" <= 65536
    ) then array(select unnest(array[header.key, header.value]) from jsonb_each_text("event"."headers") as header)
  end as "header_texts",
  "event"."payload_bytes",
  "event"."extra_bytes",
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
    pg_catalog.octet_length("found"."payload") as "payload_bytes",
    (pg_catalog.octet_length("found"."content_type") + coalesce(
      pg_catalog.octet_length("found"."traceparent"),
      0
    ) + case
      when "found"."headers" <> cast('{}' as jsonb) then pg_catalog.octet_length(cast("found"."headers" as text))
      else 0
    end) as "extra_bytes",
    sum(least(
      pg_catalog.octet_length("found"."payload"),
      1048576
    )) over (
      order by "found"."position"
      rows between unbounded preceding and 1 preceding
    ) as "bytes_before"
  from unnest(cast(
    ?
    as smallint[]
  ), cast(
    ?
    as bigint[]
  )) as "given" ("shard", "low")
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
        and "skipjack"."outbox_events"."position" >= "given"."low"
      )
      order by "skipjack"."outbox_events"."position"
      fetch next ? rows only
    ) as "found"
) as "event"
where coalesce("event"."bytes_before", 0) < ?
order by "event"."position"
