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
  "lane"."queue",
  min("lane"."scheduled_at"),
  (extract(epoch from clock_timestamp() - min("lane"."scheduled_at")) * 1000000)::bigint
from "lane"
group by "lane"."queue"
order by "lane"."queue"
