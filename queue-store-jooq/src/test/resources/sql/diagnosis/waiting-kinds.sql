-- parameters: 
select
  "waiting"."queue",
  "waiting"."kind",
  min("waiting"."scheduled_at") as "oldest",
  now() as "now"
from (
  select "skipjack"."jobs"."queue", "skipjack"."jobs"."kind", "skipjack"."jobs"."scheduled_at"
  from "skipjack"."jobs"
  where "skipjack"."jobs"."status" = 'waiting'
  order by
    "skipjack"."jobs"."ordering_key",
    coalesce("skipjack"."jobs"."ordering_position", "skipjack"."jobs"."id")
  fetch next 10001 rows only
) as "waiting"
where (
  "waiting"."scheduled_at" <= now()
  and not exists (
    select 1 as "one"
    from "skipjack"."job_queues"
    where (
      "skipjack"."job_queues"."queue" = "waiting"."queue"
      and "skipjack"."job_queues"."paused_at" is not null
      and (
        "skipjack"."job_queues"."paused_until" is null
        or "skipjack"."job_queues"."paused_until" > now()
      )
    )
  )
)
group by "waiting"."queue", "waiting"."kind"
order by "oldest"
fetch next 1000 rows only
