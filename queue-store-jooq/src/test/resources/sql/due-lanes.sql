-- parameters: queues, queues
with recursive
  "lane"("queue", "priority") as (
    select
      "wanted"."queue",
      (
        select "skipjack"."jobs"."priority"
        from "skipjack"."jobs"
        where (
          "skipjack"."jobs"."status" = 'pending'
          and "skipjack"."jobs"."queue" = "wanted"."queue"
        )
        order by "skipjack"."jobs"."priority" desc
        fetch next 1 rows only
      )
    from pg_catalog.unnest(cast(
      ?
      as text[]
    )) as "wanted" ("queue")
    where not exists (
      select 1 as "one"
      from "skipjack"."job_queues"
      where (
        "skipjack"."job_queues"."queue" = "wanted"."queue"
        and "skipjack"."job_queues"."paused_at" is not null
        and (
          "skipjack"."job_queues"."paused_until" is null
          or "skipjack"."job_queues"."paused_until" > now()
        )
      )
    )
    union all
    select
      "lane"."queue",
      (
        select "skipjack"."jobs"."priority"
        from "skipjack"."jobs"
        where (
          "skipjack"."jobs"."status" = 'pending'
          and "skipjack"."jobs"."queue" = "lane"."queue"
          and "skipjack"."jobs"."priority" < "lane"."priority"
        )
        order by "skipjack"."jobs"."priority" desc
        fetch next 1 rows only
      )
    from "lane"
    where "lane"."priority" is not null
  )
(
  select
    "lane"."queue",
    "lane"."priority",
    "oldest"."waited",
    cast(null as boolean) as "is_paused",
    cast(null as boolean) as "is_limited"
  from "lane"
    cross join lateral (
      select (extract(epoch from now() - "skipjack"."jobs"."scheduled_at") * 1000000)::bigint as "waited"
      from "skipjack"."jobs"
      where (
        "skipjack"."jobs"."status" = 'pending'
        and "skipjack"."jobs"."queue" = "lane"."queue"
        and "skipjack"."jobs"."priority" = "lane"."priority"
        and "skipjack"."jobs"."scheduled_at" <= now()
      )
      order by "skipjack"."jobs"."scheduled_at"
      fetch next 1 rows only
    ) as "oldest"
  where "lane"."priority" is not null
)
union all (
  select
    "skipjack"."job_queues"."queue",
    cast(null as smallint),
    cast(null as bigint),
    (
      "skipjack"."job_queues"."paused_at" is not null
      and (
        "skipjack"."job_queues"."paused_until" is null
        or "skipjack"."job_queues"."paused_until" > now()
      )
    ),
    ("skipjack"."job_queues"."limit_name" is not null)
  from "skipjack"."job_queues"
  where (
    "skipjack"."job_queues"."queue" = any (
      cast(
        ?
        as text[]
      )
    )
    and (
      (
        "skipjack"."job_queues"."paused_at" is not null
        and (
          "skipjack"."job_queues"."paused_until" is null
          or "skipjack"."job_queues"."paused_until" > now()
        )
      )
      or "skipjack"."job_queues"."fair"
      or "skipjack"."job_queues"."limit_name" is not null
    )
  )
)
union all (
  select
    cast(null as text),
    cast(null as smallint),
    cast(null as bigint),
    cast(null as boolean),
    cast(null as boolean)
  where "pg_catalog"."current_setting"('transaction_read_only') <> 'off'
)
