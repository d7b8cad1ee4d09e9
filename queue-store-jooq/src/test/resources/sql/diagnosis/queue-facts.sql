-- parameters: queue, priority, queue, priority, queue, priority, scheduled_at, id, queue, queue
with recursive
  "lane"("queue", "priority") as (
    select "first"."queue", "first"."priority"
    from (
      select "skipjack"."jobs"."queue", "skipjack"."jobs"."priority"
      from "skipjack"."jobs"
      where (
        "skipjack"."jobs"."status" = 'pending'
        and "skipjack"."jobs"."queue" = cast(? as text)
        and "skipjack"."jobs"."priority" > cast(? as smallint)
      )
      order by "skipjack"."jobs"."queue", "skipjack"."jobs"."priority", "skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id"
      fetch next 1 rows only
    ) as "first"
    union all
    select "next"."queue", "next"."priority"
    from "lane"
      cross join lateral (
        select "skipjack"."jobs"."queue", "skipjack"."jobs"."priority"
        from "skipjack"."jobs"
        where (
          "skipjack"."jobs"."status" = 'pending'
          and "skipjack"."jobs"."queue" = cast(? as text)
          and "skipjack"."jobs"."priority" > cast(? as smallint)
          and ("skipjack"."jobs"."queue", "skipjack"."jobs"."priority") > ("lane"."queue", "lane"."priority")
        )
        order by "skipjack"."jobs"."queue", "skipjack"."jobs"."priority", "skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id"
        fetch next 1 rows only
      ) as "next"
  )
select
  "skipjack"."job_queues"."paused_at",
  "skipjack"."job_queues"."paused_until",
  (
    select count(*)
    from (
      select 1 as "one"
      from "lane"
        cross join lateral (
          select 1 as "one"
          from "skipjack"."jobs"
          where (
            "skipjack"."jobs"."status" = 'pending'
            and "skipjack"."jobs"."queue" = "lane"."queue"
            and "skipjack"."jobs"."priority" = "lane"."priority"
            and "skipjack"."jobs"."scheduled_at" <= now()
          )
          order by "skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id"
          fetch next 1001 rows only
        ) as "due"
      fetch next 1001 rows only
    ) as "higher"
  ) as "higher",
  (
    select count(*)
    from (
      select 1 as "one"
      from "skipjack"."jobs"
      where (
        "skipjack"."jobs"."status" = 'pending'
        and "skipjack"."jobs"."queue" = cast(? as text)
        and "skipjack"."jobs"."priority" = cast(? as smallint)
        and ("skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id") < (
          cast(? as timestamp with time zone),
          ?
        )
      )
      order by "skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id"
      fetch next 1001 rows only
    ) as "before"
  ) as "before",
  (
    select count(*)
    from (
      select "skipjack"."jobs"."queue"
      from "skipjack"."jobs"
      where "skipjack"."jobs"."status" = 'running'
      order by "skipjack"."jobs"."current_execution_id"
      fetch next 10001 rows only
    ) as "running"
    where "running"."queue" = cast(? as text)
  ) as "running"
from (
  select 1 as "one"
) as "one"
  left outer join "skipjack"."job_queues"
    on (
      "skipjack"."job_queues"."queue" = cast(? as text)
      and "skipjack"."job_queues"."paused_at" is not null
      and (
        "skipjack"."job_queues"."paused_until" is null
        or "skipjack"."job_queues"."paused_until" > now()
      )
    )
