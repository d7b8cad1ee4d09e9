-- parameters: step, step, last, every_queue, queues
select
  date_bin(cast(? as double precision) * interval '1 microsecond', "skipjack"."job_minutes"."minute", timestamptz '2000-01-01 00:00:00+00') as "step",
  cast(
    sum("skipjack"."job_minutes"."completed")
    as bigint
  ) as "completed",
  cast(
    sum("skipjack"."job_minutes"."failed")
    as bigint
  ) as "failed",
  cast(
    sum("skipjack"."job_minutes"."dead")
    as bigint
  ) as "dead",
  cast(
    sum("skipjack"."job_minutes"."cancelled")
    as bigint
  ) as "cancelled",
  cast(
    sum("skipjack"."job_minutes"."snoozed")
    as bigint
  ) as "snoozed",
  cast(
    sum("skipjack"."job_minutes"."lost")
    as bigint
  ) as "lost",
  array[
    cast(
      coalesce(sum("skipjack"."job_minutes"."waits"[1]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."waits"[2]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."waits"[3]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."waits"[4]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."waits"[5]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."waits"[6]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."waits"[7]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."waits"[8]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."waits"[9]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."waits"[10]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."waits"[11]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."waits"[12]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."waits"[13]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."waits"[14]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."waits"[15]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."waits"[16]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."waits"[17]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."waits"[18]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."waits"[19]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."waits"[20]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."waits"[21]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."waits"[22]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."waits"[23]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."waits"[24]), 0)
      as text
    )
  ] as "waits",
  array[
    cast(
      coalesce(sum("skipjack"."job_minutes"."runs"[1]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."runs"[2]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."runs"[3]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."runs"[4]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."runs"[5]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."runs"[6]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."runs"[7]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."runs"[8]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."runs"[9]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."runs"[10]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."runs"[11]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."runs"[12]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."runs"[13]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."runs"[14]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."runs"[15]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."runs"[16]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."runs"[17]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."runs"[18]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."runs"[19]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."runs"[20]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."runs"[21]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."runs"[22]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."runs"[23]), 0)
      as text
    ),
    cast(
      coalesce(sum("skipjack"."job_minutes"."runs"[24]), 0)
      as text
    )
  ] as "runs"
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
group by 1
order by 1
