-- parameters: shards, limit, bytes, events
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
  "event"."due_type",
  "event"."due_id"
from (
  select
    "due"."aggregate_type" as "due_type",
    "due"."aggregate_id" as "due_id",
    "due"."retry_at" as "retry_at",
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
      order by "due"."retry_at", "due"."aggregate_type", "due"."aggregate_id", "found"."position"
      rows between unbounded preceding and 1 preceding
    ) as "bytes_before"
  from pg_catalog.unnest(cast(
    ?
    as smallint[]
  )) as "given" ("shard")
    cross join lateral (
      select "skipjack"."outbox_blocked"."aggregate_type", "skipjack"."outbox_blocked"."aggregate_id", "skipjack"."outbox_blocked"."retry_at"
      from "skipjack"."outbox_blocked"
      where (
        "skipjack"."outbox_blocked"."shard" = "given"."shard"
        and "skipjack"."outbox_blocked"."retry_at" is not null
        and "skipjack"."outbox_blocked"."retry_at" <= statement_timestamp()
      )
      order by "skipjack"."outbox_blocked"."retry_at"
      fetch next 20 rows only
    ) as "due"
    left outer join lateral (
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
        "skipjack"."outbox_events"."status" = 'blocked'
        and "skipjack"."outbox_events"."aggregate_type" = "due"."aggregate_type"
        and "skipjack"."outbox_events"."aggregate_id" = "due"."aggregate_id"
        and "skipjack"."outbox_events"."position" < coalesce(
          (
            select "skipjack"."outbox_events"."position"
            from "skipjack"."outbox_events"
            where (
              "skipjack"."outbox_events"."status" = 'dead'
              and "skipjack"."outbox_events"."aggregate_type" = "due"."aggregate_type"
              and "skipjack"."outbox_events"."aggregate_id" = "due"."aggregate_id"
            )
            order by "skipjack"."outbox_events"."position"
            fetch next 1 rows only
          ),
          9223372036854775807
        )
      )
      order by "skipjack"."outbox_events"."position"
      fetch next ? rows only
    ) as "found"
      on true
) as "event"
where coalesce("event"."bytes_before", 0) < ?
order by "event"."retry_at", "event"."due_type", "event"."due_id", "event"."position"
fetch next ? rows only
