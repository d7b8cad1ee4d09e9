-- parameters: from, to, after, batch
select
  coalesce(
    bool_or((
      "page"."status" = 'running'
      and exists (
        select 1 as "one"
        from "skipjack"."jobs"
        where (
          "skipjack"."jobs"."status" = 'running'
          and "skipjack"."jobs"."current_execution_id" = "page"."id"
        )
      )
    )),
    false
  ) as "running",
  count(*) as "read",
  max("page"."id") as "last"
from (
  select "skipjack"."job_executions"."id", "skipjack"."job_executions"."status"
  from "skipjack"."job_executions"
  where (
    "skipjack"."job_executions"."started_at" >= cast(? as timestamp with time zone)
    and "skipjack"."job_executions"."started_at" < cast(? as timestamp with time zone)
    and "skipjack"."job_executions"."id" > ?
  )
  order by "skipjack"."job_executions"."id"
  fetch next ? rows only
) as "page"
