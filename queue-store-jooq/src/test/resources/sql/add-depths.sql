-- parameters: queues, pending, running, waiting, dead
with
  "added" as (
    insert into "skipjack"."job_depths" (
      "minute",
      "queue",
      "pending",
      "running",
      "waiting",
      "dead"
    )
    select
      date_trunc('minute', clock_timestamp()),
      coalesce("given"."queue", "before"."queue"),
      coalesce("given"."pending", 0),
      coalesce("given"."running", 0),
      coalesce("given"."waiting", 0),
      coalesce("given"."dead", 0)
    from unnest(cast(
      ?
      as text[]
    ), cast(
      ?
      as bigint[]
    ), cast(
      ?
      as bigint[]
    ), cast(
      ?
      as bigint[]
    ), cast(
      ?
      as bigint[]
    )) as "given" (
      "queue",
      "pending",
      "running",
      "waiting",
      "dead"
    )
      full outer join (
        select distinct "skipjack"."job_depths"."queue"
        from "skipjack"."job_depths"
        where (
          "skipjack"."job_depths"."minute" >= clock_timestamp() - interval '2 minutes'
          and ("skipjack"."job_depths"."pending" + "skipjack"."job_depths"."running" + "skipjack"."job_depths"."waiting" + "skipjack"."job_depths"."dead") > 0
        )
      ) as "before"
        on "before"."queue" = "given"."queue"
    on conflict
    do nothing
    returning "skipjack"."job_depths"."queue"
  )
select count(*)
from "added"
