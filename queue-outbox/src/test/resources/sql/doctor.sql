-- parameters: 
select
  (
    select count(*)
    from (
      select "skipjack"."outbox_events"."event_id"
      from "skipjack"."outbox_events"
      where "skipjack"."outbox_events"."status" in (
        'dead', 'skipped'
      )
      fetch next 1001 rows only
    ) as "dead"
  ) as "dead",
  (
    select "skipjack"."outbox_events"."event_id"
    from "skipjack"."outbox_events"
    where "skipjack"."outbox_events"."status" in (
      'dead', 'skipped'
    )
    order by "skipjack"."outbox_events"."died_at", "skipjack"."outbox_events"."event_id"
    fetch next 1 rows only
  ) as "first_dead",
  (
    select min("first"."recorded_at")
    from "skipjack"."outbox_shards"
      cross join lateral (
        select "skipjack"."outbox_events"."recorded_at"
        from "skipjack"."outbox_events"
        where (
          "skipjack"."outbox_events"."status" = 'pending'
          and "skipjack"."outbox_events"."shard" = "skipjack"."outbox_shards"."shard"
        )
        order by "skipjack"."outbox_events"."position"
        fetch next 1 rows only
      ) as "first"
  ) as "oldest",
  (
    select min("next"."retry_at")
    from "skipjack"."outbox_shards"
      cross join lateral (
        select "skipjack"."outbox_blocked"."retry_at"
        from "skipjack"."outbox_blocked"
        where (
          "skipjack"."outbox_blocked"."shard" = "skipjack"."outbox_shards"."shard"
          and "skipjack"."outbox_blocked"."retry_at" is not null
        )
        order by "skipjack"."outbox_blocked"."retry_at"
        fetch next 1 rows only
      ) as "next"
  ) as "retry_at",
  (exists (
    select 1 as "one"
    from "skipjack"."outbox_shards"
    where (
      "skipjack"."outbox_shards"."leased_at" > now() + cast(-60000000 as double precision) * interval '1 microsecond'
      or "skipjack"."outbox_shards"."lease_expires_at" > now()
    )
  )) as "is_relay_running",
  now() as "now"
