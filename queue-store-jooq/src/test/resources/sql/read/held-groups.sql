-- parameters: 
with recursive
  "lane"("queue", "priority", "scheduled_at") as (
    select "first"."queue", "first"."priority", "first"."scheduled_at"
    from (
      select "skipjack"."jobs"."queue", "skipjack"."jobs"."priority", "skipjack"."jobs"."scheduled_at"
      from "skipjack"."jobs"
      where "skipjack"."jobs"."status" = 'pending'
      order by "skipjack"."jobs"."queue", "skipjack"."jobs"."priority", "skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id"
      fetch next 1 rows only
    ) as "first"
    union all
    select "next"."queue", "next"."priority", "next"."scheduled_at"
    from "lane"
      cross join lateral (
        select "skipjack"."jobs"."queue", "skipjack"."jobs"."priority", "skipjack"."jobs"."scheduled_at"
        from "skipjack"."jobs"
        where (
          "skipjack"."jobs"."status" = 'pending'
          and ("skipjack"."jobs"."queue", "skipjack"."jobs"."priority") > ("lane"."queue", "lane"."priority")
        )
        order by "skipjack"."jobs"."queue", "skipjack"."jobs"."priority", "skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id"
        fetch next 1 rows only
      ) as "next"
  ),
  "running" as materialized (
    select
      "permit"."limit_name",
      "permit"."group_key",
      count(*) as "jobs"
    from (
      select "skipjack"."jobs"."limit_name", "skipjack"."jobs"."group_key"
      from "skipjack"."jobs"
      where (
        "skipjack"."jobs"."status" = 'running'
        and "skipjack"."jobs"."limit_name" is not null
      )
      fetch next 10001 rows only
    ) as "permit"
    group by "permit"."limit_name", "permit"."group_key"
  ),
  "held" as materialized (
    select
      "skipjack"."job_queues"."queue",
      "running"."group_key",
      "running"."jobs" as "jobs",
      coalesce("skipjack"."job_groups"."max_running", "skipjack"."job_limits"."max_running_per_group") as "most"
    from "skipjack"."job_queues"
      join "skipjack"."job_limits"
        on "skipjack"."job_limits"."name" = "skipjack"."job_queues"."limit_name"
      join "running"
        on "running"."limit_name" = "skipjack"."job_queues"."limit_name"
      left outer join "skipjack"."job_groups"
        on (
          "skipjack"."job_groups"."queue" = "skipjack"."job_queues"."queue"
          and "skipjack"."job_groups"."group_key" = "running"."group_key"
        )
    where (
      (
        "skipjack"."job_queues"."fair"
        or "skipjack"."job_queues"."limit_name" is not null
      )
      and not (
        "skipjack"."job_queues"."paused_at" is not null
        and (
          "skipjack"."job_queues"."paused_until" is null
          or "skipjack"."job_queues"."paused_until" > now()
        )
      )
      and "skipjack"."job_groups"."paused_at" is null
      and "running"."jobs" >= coalesce("skipjack"."job_groups"."max_running", "skipjack"."job_limits"."max_running_per_group")
    )
    union all
    select
      "skipjack"."job_queues"."queue",
      "skipjack"."job_groups"."group_key",
      0,
      case
        when "skipjack"."job_groups"."paused_at" is null then 0
      end
    from "skipjack"."job_groups"
      join "skipjack"."job_queues"
        on "skipjack"."job_queues"."queue" = "skipjack"."job_groups"."queue"
    where (
      (
        "skipjack"."job_queues"."fair"
        or "skipjack"."job_queues"."limit_name" is not null
      )
      and not (
        "skipjack"."job_queues"."paused_at" is not null
        and (
          "skipjack"."job_queues"."paused_until" is null
          or "skipjack"."job_queues"."paused_until" > now()
        )
      )
      and (
        "skipjack"."job_groups"."paused_at" is not null
        or (
          "skipjack"."job_groups"."max_running" = 0
          and "skipjack"."job_queues"."limit_name" is not null
        )
      )
    )
    fetch next 1000 rows only
  )
select
  "held"."queue",
  "held"."group_key",
  "held"."jobs",
  "held"."most",
  case
    when "held"."group_key" is null then (
      select count(*)
      from (
        select 1 as "one"
        from "lane"
          cross join lateral (
            select 1 as "one"
            from (
              select "skipjack"."jobs"."group_key"
              from "skipjack"."jobs"
              where (
                "skipjack"."jobs"."status" = 'pending'
                and "skipjack"."jobs"."queue" = "lane"."queue"
                and "skipjack"."jobs"."priority" = "lane"."priority"
                and "skipjack"."jobs"."scheduled_at" <= now()
              )
              order by "skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id"
              fetch next 10000 rows only
            ) as "first"
            where "first"."group_key" is null
            fetch next 1000 rows only
          ) as "job"
        where "lane"."queue" = "held"."queue"
        fetch next 1000 rows only
      ) as "due_jobs"
    )
    else (
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
              and "skipjack"."jobs"."group_key" is not null
              and "skipjack"."jobs"."group_key" = "held"."group_key"
              and "skipjack"."jobs"."scheduled_at" <= now()
            )
            fetch next 1000 rows only
          ) as "job"
        where "lane"."queue" = "held"."queue"
        fetch next 1000 rows only
      ) as "due_jobs"
    )
  end as "due"
from "held"
