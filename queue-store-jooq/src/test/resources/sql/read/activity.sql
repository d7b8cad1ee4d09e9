-- parameters: step, step, last, every_queue, queues
select
  date_bin(cast(? as double precision) * interval '1 microsecond', "skipjack"."job_minutes"."minute", timestamptz '2000-01-01 00:00:00+00') as "step",
  "skipjack"."job_minutes"."queue",
  cast(
    sum("skipjack"."job_minutes"."completed")
    as bigint
  ) as "completed",
  cast(
    sum((cast("skipjack"."job_minutes"."failed" as bigint) + "skipjack"."job_minutes"."dead"))
    as bigint
  ) as "failed"
from "skipjack"."job_minutes"
where (
  "skipjack"."job_minutes"."minute" >= date_bin(cast(? as double precision) * interval '1 microsecond', statement_timestamp() - cast(? as double precision) * interval '1 microsecond', timestamptz '2000-01-01 00:00:00+00')
  and "skipjack"."job_minutes"."minute" <= statement_timestamp()
  and (
    ? = true
    or "skipjack"."job_minutes"."queue" = any (
      cast(
        ?
        as text[]
      )
    )
  )
)
group by
  1,
  "skipjack"."job_minutes"."queue"
order by
  1 desc,
  "skipjack"."job_minutes"."queue"
fetch next 10000 rows only
