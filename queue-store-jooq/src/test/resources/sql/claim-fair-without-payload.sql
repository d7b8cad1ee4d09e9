-- parameters: queue, limit_name, groups, caps, from_at, from_ids, queue, worker, lease, limit_name, queue, priority, kinds, queue, priority, kinds, until_at, until_id, most
with
  "bound" as materialized (
    select
      "skipjack"."job_queues"."limit_name",
      "skipjack"."job_limits"."max_running",
      "skipjack"."job_limits"."max_running_per_group",
      "skipjack"."job_limits"."rate_count",
      "skipjack"."job_limits"."rate_kind",
      "skipjack"."job_limits"."rate_per_group",
      coalesce("skipjack"."job_limits"."rate_burst", "skipjack"."job_limits"."rate_count") as "rate_burst",
      cast(ceil(extract(epoch from "skipjack"."job_limits"."rate_period") * 1000000) as bigint) as "rate_period",
      cast(ceil(extract(epoch from "skipjack"."job_limits"."rate_period") * 1000000 / "skipjack"."job_limits"."rate_count") as bigint) as "rate_interval"
    from "skipjack"."job_queues"
      left outer join "skipjack"."job_limits"
        on "skipjack"."job_limits"."name" = "skipjack"."job_queues"."limit_name"
    where (
      "skipjack"."job_queues"."queue" = cast(? as text)
      and (
        "skipjack"."job_queues"."limit_name" is not null
        or "skipjack"."job_queues"."fair"
      )
      and not (coalesce(
        (
          "skipjack"."job_queues"."paused_at" is not null
          and (
            "skipjack"."job_queues"."paused_until" is null
            or "skipjack"."job_queues"."paused_until" > now()
          )
        ),
        false
      ))
      and "skipjack"."job_queues"."limit_name" is not distinct from cast(? as text)
    )
  ),
  "asked"("group_key", "cap", "from_at", "from_id", "position", "most", "full_at") as materialized (
    select
      "given"."group_key",
      "given"."cap",
      "given"."from_at",
      "given"."from_id",
      "given"."position",
      cast(null as int),
      cast(null as timestamp with time zone)
    from unnest(cast(
      ?
      as text[]
    ), cast(
      ?
      as int[]
    ), cast(
      ?
      as timestamp with time zone[]
    ), cast(
      ?
      as bigint[]
    )) with ordinality as "given" (
      "group_key",
      "cap",
      "from_at",
      "from_id",
      "position"
    )
      cross join "bound"
      left outer join lateral (
        select "skipjack"."job_groups"."weight", "skipjack"."job_groups"."max_running", "skipjack"."job_groups"."paused_at"
        from "skipjack"."job_groups"
        where (
          "skipjack"."job_groups"."queue" = cast(? as text)
          and "skipjack"."job_groups"."group_key" = "given"."group_key"
        )
        fetch next 1 rows only
      ) as "own"
        on true
    where "own"."paused_at" is null
  ),
  "lane" as materialized (
    select "asked"."group_key", "asked"."from_at", "asked"."from_id", "asked"."cap"
    from "asked"
    order by "asked"."position"
  ),
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
      "limit_name" = cast(? as text),
      "updated_at" = clock_timestamp()
    where "skipjack"."jobs"."id" = any (
      array(
        select "due"."id"
        from "lane"
          cross join lateral (
            select "grouped"."id"
            from (
              select "skipjack"."jobs"."id"
              from "skipjack"."jobs"
              where (
                "skipjack"."jobs"."status" = 'pending'
                and "skipjack"."jobs"."queue" = cast(? as text)
                and "skipjack"."jobs"."priority" = cast(? as smallint)
                and "skipjack"."jobs"."kind" = any (
                  cast(
                    ?
                    as text[]
                  )
                )
                and ("skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id") >= ("lane"."from_at", "lane"."from_id")
                and "skipjack"."jobs"."scheduled_at" <= now()
                and "skipjack"."jobs"."group_key" = "lane"."group_key"
              )
              order by "skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id"
              fetch next "lane"."cap" rows only
              for no key update skip locked
            ) as "grouped"
            union all
            select "ungrouped"."id"
            from (
              select "skipjack"."jobs"."id"
              from "skipjack"."jobs"
              where (
                "skipjack"."jobs"."status" = 'pending'
                and "skipjack"."jobs"."queue" = cast(? as text)
                and "skipjack"."jobs"."priority" = cast(? as smallint)
                and "skipjack"."jobs"."kind" = any (
                  cast(
                    ?
                    as text[]
                  )
                )
                and ("skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id") >= ("lane"."from_at", "lane"."from_id")
                and "lane"."group_key" is null
                and "skipjack"."jobs"."group_key" is null
                and ("skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id") <= (
                  least(
                    cast(
                      cast(? as text)
                      as timestamp with time zone
                    ),
                    now()
                  ),
                  ?
                )
              )
              order by "skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id"
              fetch next "lane"."cap" rows only
              for no key update skip locked
            ) as "ungrouped"
          ) as "due"
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
      "skipjack"."jobs"."ordering_key",
      "skipjack"."jobs"."group_key"
  ),
  "opened" as (
    insert into "skipjack"."job_executions" (
      "id",
      "job_id",
      "started_at",
      "attempt",
      "queue",
      "kind",
      "worker_id",
      "group_key"
    )
    select
      "claimed"."current_execution_id",
      "claimed"."id",
      "claimed"."started_at",
      "claimed"."attempts",
      "claimed"."queue",
      "claimed"."kind",
      "claimed"."locked_by",
      "claimed"."group_key"
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
  "claimed"."ordering_key",
  "claimed"."group_key"
from "claimed"
