-- parameters: 
with recursive
  "pending_queue"("queue") as (
    select "first"."queue"
    from (
      select "skipjack"."jobs"."queue"
      from "skipjack"."jobs"
      where "skipjack"."jobs"."status" = 'pending'
      order by "skipjack"."jobs"."queue", "skipjack"."jobs"."priority", "skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id"
      fetch next 1 rows only
    ) as "first"
    union all
    select "next"."queue"
    from "pending_queue"
      cross join lateral (
        select "skipjack"."jobs"."queue"
        from "skipjack"."jobs"
        where (
          "skipjack"."jobs"."status" = 'pending'
          and "skipjack"."jobs"."queue" > "pending_queue"."queue"
        )
        order by "skipjack"."jobs"."queue", "skipjack"."jobs"."priority", "skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id"
        fetch next 1 rows only
      ) as "next"
  ),
  "dead_group"("queue", "kind") as (
    select "first"."queue", "first"."kind"
    from (
      select "skipjack"."jobs"."queue", "skipjack"."jobs"."kind"
      from "skipjack"."jobs"
      where "skipjack"."jobs"."status" = 'dead'
      order by "skipjack"."jobs"."queue", "skipjack"."jobs"."kind", "skipjack"."jobs"."id"
      fetch next 1 rows only
    ) as "first"
    union all
    select "next"."queue", "next"."kind"
    from "dead_group"
      cross join lateral (
        select "skipjack"."jobs"."queue", "skipjack"."jobs"."kind"
        from "skipjack"."jobs"
        where (
          "skipjack"."jobs"."status" = 'dead'
          and ("skipjack"."jobs"."queue", "skipjack"."jobs"."kind") > ("dead_group"."queue", "dead_group"."kind")
        )
        order by "skipjack"."jobs"."queue", "skipjack"."jobs"."kind", "skipjack"."jobs"."id"
        fetch next 1 rows only
      ) as "next"
  )
select
  "counted"."queue",
  "counted"."kind",
  "counted"."status",
  "counted"."jobs",
  "counted"."more"
from (
  select
    "seen"."queue",
    "seen"."kind",
    'pending' as "status",
    count(*) as "jobs",
    (sum(count(*)) over (partition by "seen"."queue") > 10000) as "more"
  from "pending_queue"
    cross join lateral (
      select "skipjack"."jobs"."queue", "skipjack"."jobs"."kind"
      from "skipjack"."jobs"
      where (
        "skipjack"."jobs"."status" = 'pending'
        and "skipjack"."jobs"."queue" = "pending_queue"."queue"
      )
      order by "skipjack"."jobs"."queue", "skipjack"."jobs"."priority", "skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id"
      fetch next 10001 rows only
    ) as "seen"
  group by "seen"."queue", "seen"."kind"
  union all
  select
    "seen"."queue",
    "seen"."kind",
    'dead' as "status",
    count(*) as "jobs",
    (sum(count(*)) over (partition by "seen"."queue", "seen"."kind") > 10000) as "more"
  from "dead_group"
    cross join lateral (
      select "skipjack"."jobs"."queue", "skipjack"."jobs"."kind"
      from "skipjack"."jobs"
      where (
        "skipjack"."jobs"."status" = 'dead'
        and "skipjack"."jobs"."queue" = "dead_group"."queue"
        and "skipjack"."jobs"."kind" = "dead_group"."kind"
      )
      order by "skipjack"."jobs"."queue", "skipjack"."jobs"."kind", "skipjack"."jobs"."id"
      fetch next 10001 rows only
    ) as "seen"
  group by "seen"."queue", "seen"."kind"
  union all
  select
    "seen"."queue",
    "seen"."kind",
    'running' as "status",
    count(*) as "jobs",
    (sum(count(*)) over () > 10000) as "more"
  from (
    select "skipjack"."jobs"."queue", "skipjack"."jobs"."kind"
    from "skipjack"."jobs"
    where "skipjack"."jobs"."status" = 'running'
    order by "skipjack"."jobs"."current_execution_id"
    fetch next 10001 rows only
  ) as "seen"
  group by "seen"."queue", "seen"."kind"
  union all
  select
    "seen"."queue",
    "seen"."kind",
    'waiting' as "status",
    count(*) as "jobs",
    (sum(count(*)) over () > 10000) as "more"
  from (
    select "skipjack"."jobs"."queue", "skipjack"."jobs"."kind"
    from "skipjack"."jobs"
    where "skipjack"."jobs"."status" = 'waiting'
    order by "skipjack"."jobs"."ordering_key", "skipjack"."jobs"."id"
    fetch next 10001 rows only
  ) as "seen"
  group by "seen"."queue", "seen"."kind"
) as "counted"
