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
  )
select
  "due"."queue",
  "due"."kind",
  min("due"."scheduled_at") as "oldest",
  now() as "now"
from "lane"
  cross join lateral (
    select "skipjack"."jobs"."queue", "skipjack"."jobs"."kind", "skipjack"."jobs"."scheduled_at"
    from "skipjack"."jobs"
    where (
      "skipjack"."jobs"."status" = 'pending'
      and "skipjack"."jobs"."queue" = "lane"."queue"
      and "skipjack"."jobs"."priority" = "lane"."priority"
      and "skipjack"."jobs"."scheduled_at" <= now()
    )
    order by "skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id"
    fetch next 100 rows only
  ) as "due"
where not exists (
  select 1 as "one"
  from "skipjack"."job_queues"
  where (
    "skipjack"."job_queues"."queue" = "lane"."queue"
    and "skipjack"."job_queues"."paused_at" is not null
    and (
      "skipjack"."job_queues"."paused_until" is null
      or "skipjack"."job_queues"."paused_until" > now()
    )
  )
)
group by "due"."queue", "due"."kind"
order by "oldest"
fetch next 1000 rows only
