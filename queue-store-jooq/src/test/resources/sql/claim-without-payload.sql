-- parameters: worker, lease, queues, priorities, low_water, caps, kinds, limit
with
  "claimed" as (
    update "skipjack"."jobs"
    set
      "status" = 'running',
      "current_execution_id" = pg_catalog.nextval('"skipjack"."job_execution_id_seq"'),
      "locked_by" = ?,
      "started_at" = clock_timestamp(),
      "lease_expires_at" = clock_timestamp() + cast(? as double precision) * interval '1 microsecond',
      "attempts" = (least("skipjack"."jobs"."attempts", 2147483646) + 1),
      "unique_key" = case
        when "skipjack"."jobs"."unique_until" is distinct from 'started' then "skipjack"."jobs"."unique_key"
      end,
      "limit_name" = cast(null as text),
      "updated_at" = clock_timestamp()
    where "skipjack"."jobs"."id" = any (
      array(
        select "due"."id"
        from unnest(cast(
          ?
          as text[]
        ), cast(
          ?
          as smallint[]
        ), cast(
          ?
          as timestamp with time zone[]
        ), cast(
          ?
          as int[]
        )) as "lane" ("queue", "priority", "low_water", "cap")
          cross join lateral (
            select "skipjack"."jobs"."id"
            from "skipjack"."jobs"
            where (
              "skipjack"."jobs"."status" = 'pending'
              and "skipjack"."jobs"."queue" = "lane"."queue"
              and "skipjack"."jobs"."priority" = "lane"."priority"
              and "skipjack"."jobs"."kind" = any (
                cast(
                  ?
                  as text[]
                )
              )
              and "skipjack"."jobs"."scheduled_at" >= "lane"."low_water"
              and "skipjack"."jobs"."scheduled_at" <= now()
            )
            order by "skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id"
            fetch next "lane"."cap" rows only
            for no key update skip locked
          ) as "due"
        where (
          select "skipjack"."job_queues"."queue"
          from "skipjack"."job_queues"
          where (
            "skipjack"."job_queues"."queue" = "lane"."queue"
            and (
              (
                "skipjack"."job_queues"."paused_at" is not null
                and (
                  "skipjack"."job_queues"."paused_until" is null
                  or "skipjack"."job_queues"."paused_until" > now()
                )
              )
              or "skipjack"."job_queues"."fair"
              or "skipjack"."job_queues"."limit_name" is not null
            )
          )
        ) is null
        fetch next ? rows only
      )
    )
    returning 
      "skipjack"."jobs"."id",
      "skipjack"."jobs"."current_execution_id",
      "skipjack"."jobs"."queue",
      "skipjack"."jobs"."kind",
      cast(null as jsonb) as "payload",
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
      "claimed"."current_execution_id",
      "claimed"."id",
      "claimed"."started_at",
      "claimed"."attempts",
      "claimed"."queue",
      "claimed"."kind",
      "claimed"."locked_by"
    from "claimed"
    returning "skipjack"."job_executions"."id"
  )
select
  "claimed"."id",
  "claimed"."current_execution_id",
  "claimed"."queue",
  "claimed"."kind",
  "claimed"."payload",
  "claimed"."payload_version",
  "claimed"."priority",
  "claimed"."attempts",
  "claimed"."uncounted_attempts",
  "claimed"."max_attempts",
  "claimed"."scheduled_at",
  "claimed"."started_at",
  "claimed"."locked_by",
  "claimed"."headers",
  "claimed"."ordering_key"
from "claimed"
