-- parameters: queues
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
select "lane"."queue", "lane"."priority"
from "lane"
where (
  "lane"."priority" is not null
  and exists (
    select 1 as "one"
    from "skipjack"."jobs"
    where (
      "skipjack"."jobs"."status" = 'pending'
      and "skipjack"."jobs"."queue" = "lane"."queue"
      and "skipjack"."jobs"."priority" = "lane"."priority"
      and "skipjack"."jobs"."scheduled_at" <= now()
    )
  )
)
