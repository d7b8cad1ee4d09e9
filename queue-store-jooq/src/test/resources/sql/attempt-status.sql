-- parameters: job_ids, execution_ids, execution_ids
select "skipjack"."job_executions"."status"
from unnest(cast(
  ?
  as bigint[]
), cast(
  ?
  as bigint[]
)) with ordinality as "given" ("job_id", "execution_id", "position")
  left outer join "skipjack"."job_executions"
    on (
      "skipjack"."job_executions"."id" = "given"."execution_id"
      and "skipjack"."job_executions"."id" = any (
        cast(
          ?
          as bigint[]
        )
      )
      and "skipjack"."job_executions"."started_at" >= timestamp with time zone '2024-03-04 00:00:00+00:00'
      and "skipjack"."job_executions"."started_at" < timestamp with time zone '2024-03-11 00:00:00+00:00'
    )
order by "given"."position"
