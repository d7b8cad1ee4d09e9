-- parameters: queue, priority, scheduled_at, queue, priority, spare, id, execution
select (
  (
    "skipjack"."job_queues"."paused_at" is null
    or ("skipjack"."job_queues"."paused_until" OPERATOR(pg_catalog.<=) pg_catalog.statement_timestamp())
  )
  and ("skipjack"."job_queues"."fair" is not true)
  and "skipjack"."job_queues"."limit_name" is null
  and ((
    select pg_catalog.count(*)
    from (
      select "skipjack"."jobs"."id"
      from "skipjack"."jobs"
      where (
        ("skipjack"."jobs"."status" OPERATOR(pg_catalog.=) 'pending')
        and ("skipjack"."jobs"."queue" OPERATOR(pg_catalog.=) ?)
        and ("skipjack"."jobs"."priority" OPERATOR(pg_catalog.=) cast(? as smallint))
        and ("skipjack"."jobs"."scheduled_at" OPERATOR(pg_catalog.<=) cast(? as timestamp with time zone))
      )
      order by "skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id"
      fetch next 9 rows only
    ) as "due"
  ) OPERATOR(pg_catalog.+) (
    select pg_catalog.count(*)
    from (
      select "skipjack"."jobs"."id"
      from "skipjack"."jobs"
      where (
        ("skipjack"."jobs"."status" OPERATOR(pg_catalog.=) 'pending')
        and ("skipjack"."jobs"."queue" OPERATOR(pg_catalog.=) ?)
        and ("skipjack"."jobs"."priority" OPERATOR(pg_catalog.>) cast(? as smallint))
      )
      order by "skipjack"."jobs"."priority", "skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id"
      fetch next 9 rows only
    ) as "higher"
  ) OPERATOR(pg_catalog.<=) cast(? as bigint))
) as "may_start"
from "skipjack"."jobs"
  left outer join "skipjack"."job_queues"
    on "skipjack"."job_queues"."queue" = "skipjack"."jobs"."queue"
where (
  "skipjack"."jobs"."id" = ?
  and "skipjack"."jobs"."current_execution_id" = ?
)
