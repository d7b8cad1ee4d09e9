-- parameters: queue, priority, queue, priority, kinds, kinds, queue, priority, scheduled_at, id, workers, queue, queue
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
  "skipjack"."job_queues"."paused_by",
  "skipjack"."job_queues"."pause_reason",
  "higher"."jobs" as "higher_jobs",
  "higher"."served" as "higher_served",
  "before"."jobs" as "before_jobs",
  "before"."served" as "before_served",
  "running"."jobs" as "running_jobs",
  "running"."taken" as "running_taken"
from (
  select
    count(*) as "jobs",
    count(*) filter (where "earlier"."kind" = any (
      cast(
        ?
        as text[]
      )
    )) as "served"
  from (
    select "due"."kind"
    from "lane"
      cross join lateral (
        select "skipjack"."jobs"."kind"
        from "skipjack"."jobs"
        where (
          "skipjack"."jobs"."status" = 'pending'
          and "skipjack"."jobs"."queue" = "lane"."queue"
          and "skipjack"."jobs"."priority" = "lane"."priority"
          and "skipjack"."jobs"."scheduled_at" <= now()
        )
        order by "skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id"
        fetch next 10001 rows only
      ) as "due"
    fetch next 10001 rows only
  ) as "earlier"
) as "higher"
  cross join (
    select
      count(*) as "jobs",
      count(*) filter (where "earlier"."kind" = any (
        cast(
          ?
          as text[]
        )
      )) as "served"
    from (
      select "skipjack"."jobs"."kind"
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
      fetch next 10001 rows only
    ) as "earlier"
  ) as "before"
  cross join (
    select
      count(*) as "jobs",
      count(*) filter (where "leased"."locked_by" = any (
        cast(
          ?
          as text[]
        )
      )) as "taken"
    from (
      select "skipjack"."jobs"."queue", "skipjack"."jobs"."locked_by", "skipjack"."jobs"."lease_expires_at"
      from "skipjack"."jobs"
      where "skipjack"."jobs"."status" = 'running'
      order by "skipjack"."jobs"."current_execution_id"
      fetch next 10001 rows only
    ) as "leased"
    where (
      "leased"."queue" = cast(? as text)
      and "leased"."lease_expires_at" > now()
    )
  ) as "running"
  left outer join "skipjack"."job_queues"
    on (
      "skipjack"."job_queues"."queue" = cast(? as text)
      and "skipjack"."job_queues"."paused_at" is not null
      and (
        "skipjack"."job_queues"."paused_until" is null
        or "skipjack"."job_queues"."paused_until" > now()
      )
    )
