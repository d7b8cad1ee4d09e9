-- parameters: lows, shards, lease, relay
with
  "free" as materialized (
    select
      "skipjack"."outbox_shards"."shard",
      ("skipjack"."outbox_shards"."lease_expires_at" is not null) as "taken_over",
      ((
        select "skipjack"."outbox_blocked"."shard"
        from "skipjack"."outbox_blocked"
        where (
          "skipjack"."outbox_blocked"."shard" = "skipjack"."outbox_shards"."shard"
          and "skipjack"."outbox_blocked"."retry_at" is not null
          and "skipjack"."outbox_blocked"."retry_at" <= statement_timestamp()
        )
        order by "skipjack"."outbox_blocked"."retry_at"
        fetch next 1 rows only
      ) is not null) as "has_retries"
    from "skipjack"."outbox_shards"
    where (
      (
        "skipjack"."outbox_shards"."lease_expires_at" is null
        or "skipjack"."outbox_shards"."lease_expires_at" <= statement_timestamp()
        or "skipjack"."outbox_shards"."lease_expires_at" > statement_timestamp() + cast(7200000000 as double precision) * interval '1 microsecond'
      )
      and (
        (
          select "skipjack"."outbox_events"."position"
          from "skipjack"."outbox_events"
          where (
            "skipjack"."outbox_events"."status" = 'pending'
            and "skipjack"."outbox_events"."shard" = "skipjack"."outbox_shards"."shard"
            and "skipjack"."outbox_events"."position" >= coalesce(
              (cast(cast(
                ?
                as bigint[]
              ) as bigint[]))["skipjack"."outbox_shards"."shard" + 1],
              -9223372036854775808
            )
          )
          order by "skipjack"."outbox_events"."position"
          fetch next 1 rows only
        ) is not null
        or (
          select "skipjack"."outbox_blocked"."shard"
          from "skipjack"."outbox_blocked"
          where (
            "skipjack"."outbox_blocked"."shard" = "skipjack"."outbox_shards"."shard"
            and "skipjack"."outbox_blocked"."retry_at" is not null
            and "skipjack"."outbox_blocked"."retry_at" <= statement_timestamp()
          )
          order by "skipjack"."outbox_blocked"."retry_at"
          fetch next 1 rows only
        ) is not null
      )
    )
    order by "skipjack"."outbox_shards"."leased_at", "skipjack"."outbox_shards"."shard"
    fetch next ? rows only
    for no key update skip locked
  ),
  "leased" as (
    update "skipjack"."outbox_shards"
    set
      "lease_id" = case
        when "skipjack"."outbox_shards"."lease_id" < 9223372036854775807 then ("skipjack"."outbox_shards"."lease_id" + 1)
        else 1
      end,
      "leased_at" = clock_timestamp(),
      "lease_expires_at" = clock_timestamp() + cast(? as double precision) * interval '1 microsecond',
      "leased_by" = cast(? as text)
    where "skipjack"."outbox_shards"."shard" = any (
      array(
        select cast("free"."shard" as smallint)
        from "free"
      )
    )
    returning "skipjack"."outbox_shards"."shard", "skipjack"."outbox_shards"."lease_id"
  )
select "leased"."shard", "leased"."lease_id", "free"."taken_over", "free"."has_retries"
from "leased"
  join "free"
    on "free"."shard" = "leased"."shard"
