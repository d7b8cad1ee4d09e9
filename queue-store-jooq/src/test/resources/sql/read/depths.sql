-- parameters: step, step, last, every_queue, queues
select
  "highest"."step",
  cast(
    sum("highest"."pending")
    as bigint
  ) as "pending",
  cast(
    sum("highest"."running")
    as bigint
  ) as "running",
  cast(
    sum("highest"."waiting")
    as bigint
  ) as "waiting",
  cast(
    sum("highest"."dead")
    as bigint
  ) as "dead"
from (
  select
    date_bin(cast(? as double precision) * interval '1 microsecond', "skipjack"."job_depths"."minute", timestamptz '2000-01-01 00:00:00+00') as "step",
    max("skipjack"."job_depths"."pending") as "pending",
    max("skipjack"."job_depths"."running") as "running",
    max("skipjack"."job_depths"."waiting") as "waiting",
    max("skipjack"."job_depths"."dead") as "dead"
  from "skipjack"."job_depths"
  where (
    "skipjack"."job_depths"."minute" >= date_bin(cast(? as double precision) * interval '1 microsecond', statement_timestamp() - cast(? as double precision) * interval '1 microsecond', timestamptz '2000-01-01 00:00:00+00')
    and "skipjack"."job_depths"."minute" <= statement_timestamp()
    and (
      ? = true
      or "skipjack"."job_depths"."queue" = any (
        cast(
          ?
          as text[]
        )
      )
    )
  )
  group by
    1,
    "skipjack"."job_depths"."queue"
) as "highest"
group by "highest"."step"
order by "highest"."step"
