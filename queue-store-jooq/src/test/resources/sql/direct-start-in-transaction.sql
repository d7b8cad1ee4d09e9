-- parameters: queue, queue, spare, priority, max_attempts, queue, queue, kind, payload, payload_version, scheduled_at, delay, tags, unique_key, unique_label, unique_until, headers, worker, lease
with
  "lane" as materialized (
    select
      "own"."priority",
      "own"."max_attempts",
      (
        (pg_catalog.current_setting('transaction_isolation') OPERATOR(pg_catalog.<>) 'serializable')
        and ("own"."max_attempts" OPERATOR(pg_catalog.>) 1)
        and "own"."is_served"
        and ((
          select pg_catalog.count(*)
          from (
            select "skipjack"."jobs"."id"
            from "skipjack"."jobs"
            where (
              ("skipjack"."jobs"."status" OPERATOR(pg_catalog.=) 'pending')
              and ("skipjack"."jobs"."queue" OPERATOR(pg_catalog.=) ?)
              and ("skipjack"."jobs"."priority" OPERATOR(pg_catalog.=) "own"."priority")
              and ("skipjack"."jobs"."scheduled_at" OPERATOR(pg_catalog.<=) pg_catalog.statement_timestamp())
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
              and ("skipjack"."jobs"."priority" OPERATOR(pg_catalog.>) "own"."priority")
            )
            order by "skipjack"."jobs"."priority", "skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id"
            fetch next 9 rows only
          ) as "higher"
        ) OPERATOR(pg_catalog.<=) cast(? as bigint))
      ) as "is_free"
    from (
      select
        coalesce(
          cast(? as smallint),
          "skipjack"."job_queues"."default_priority",
          0
        ) as "priority",
        coalesce(
          cast(? as int),
          "skipjack"."job_queues"."default_max_attempts",
          25
        ) as "max_attempts",
        (
          (
            "skipjack"."job_queues"."paused_at" is null
            or ("skipjack"."job_queues"."paused_until" OPERATOR(pg_catalog.<=) pg_catalog.statement_timestamp())
          )
          and ("skipjack"."job_queues"."fair" is not true)
          and "skipjack"."job_queues"."limit_name" is null
        ) as "is_served"
      from (
        select 1 as "one"
      ) as "one"
        left outer join "skipjack"."job_queues"
          on ("skipjack"."job_queues"."queue" OPERATOR(pg_catalog.=) ?)
    ) as "own"
  ),
  "inserted" as (
    insert into "skipjack"."jobs" (
      "id",
      "queue",
      "kind",
      "payload",
      "payload_version",
      "priority",
      "max_attempts",
      "scheduled_at",
      "tags",
      "unique_key",
      "unique_label",
      "unique_until",
      "headers",
      "status",
      "current_execution_id",
      "locked_by",
      "started_at",
      "lease_expires_at",
      "attempts"
    )
    select
      pg_catalog.nextval('"skipjack"."jobs_id_seq"'),
      ?,
      ?,
      cast(? as pg_catalog.jsonb),
      cast(? as int),
      "lane"."priority",
      "lane"."max_attempts",
      greatest(coalesce(cast(? as timestamp with time zone), pg_catalog.clock_timestamp()), pg_catalog.clock_timestamp()) OPERATOR(pg_catalog.+) (cast(cast(? as bigint) as double precision) OPERATOR(pg_catalog.*) interval '1 microsecond'),
      cast(? as pg_catalog.text[]),
      ?,
      ?,
      ?,
      cast(? as pg_catalog.jsonb),
      case
        when "lane"."is_free" then 'running'
        else 'pending'
      end,
      case
        when "lane"."is_free" then pg_catalog.nextval('"skipjack"."job_execution_id_seq"')
      end,
      case
        when "lane"."is_free" then ?
      end,
      case
        when "lane"."is_free" then pg_catalog.clock_timestamp()
      end,
      case
        when "lane"."is_free" then pg_catalog.clock_timestamp() OPERATOR(pg_catalog.+) (cast(? as double precision) OPERATOR(pg_catalog.*) interval '1 microsecond')
      end,
      case
        when "lane"."is_free" then 1
        else 0
      end
    from "lane"
    returning 
      "skipjack"."jobs"."id",
      "skipjack"."jobs"."current_execution_id",
      "skipjack"."jobs"."queue",
      "skipjack"."jobs"."kind",
      case
        when "skipjack"."jobs"."current_execution_id" is not null then "skipjack"."jobs"."payload"
      end as "payload",
      "skipjack"."jobs"."payload_version",
      "skipjack"."jobs"."priority",
      "skipjack"."jobs"."attempts",
      "skipjack"."jobs"."uncounted_attempts",
      "skipjack"."jobs"."max_attempts",
      "skipjack"."jobs"."scheduled_at",
      "skipjack"."jobs"."started_at",
      "skipjack"."jobs"."locked_by",
      "skipjack"."jobs"."headers",
      "skipjack"."jobs"."ordering_key"
  ),
  "opened" as (
    insert into "skipjack"."job_executions" (
      "id",
      "job_id",
      "started_at",
      "attempt",
      "queue",
      "kind",
      "worker_id"
    )
    select
      "inserted"."current_execution_id",
      "inserted"."id",
      "inserted"."started_at",
      "inserted"."attempts",
      "inserted"."queue",
      "inserted"."kind",
      "inserted"."locked_by"
    from "inserted"
    where ("inserted"."current_execution_id" is not null)
    returning "skipjack"."job_executions"."id"
  )
select
  "inserted"."id",
  "inserted"."current_execution_id",
  "inserted"."queue",
  "inserted"."kind",
  "inserted"."payload",
  "inserted"."payload_version",
  "inserted"."priority",
  "inserted"."attempts",
  "inserted"."uncounted_attempts",
  "inserted"."max_attempts",
  "inserted"."scheduled_at",
  "inserted"."started_at",
  "inserted"."locked_by",
  "inserted"."headers",
  "inserted"."ordering_key"
from "inserted"
