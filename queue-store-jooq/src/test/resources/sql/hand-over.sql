-- parameters: job_id, execution_id, queue, priority, kinds, longest_payload, queue, worker, lease, job_id, execution_id
with
  "locked" as materialized (
    select "skipjack"."jobs"."id"
    from "skipjack"."jobs"
    where (
      "skipjack"."jobs"."id" = ?
      and "skipjack"."jobs"."current_execution_id" = ?
    )
    for update skip locked
  ),
  "ended" as (
    delete from "skipjack"."jobs"
    where "skipjack"."jobs"."id" = any (
      array(
        select "locked"."id"
        from "locked"
      )
    )
    returning 
      "skipjack"."jobs"."id",
      "skipjack"."jobs"."queue",
      "skipjack"."jobs"."kind",
      "skipjack"."jobs"."payload",
      "skipjack"."jobs"."payload_version",
      "skipjack"."jobs"."priority",
      "skipjack"."jobs"."scheduled_at",
      "skipjack"."jobs"."created_at",
      "skipjack"."jobs"."started_at",
      "skipjack"."jobs"."attempts",
      "skipjack"."jobs"."uncounted_attempts",
      "skipjack"."jobs"."max_attempts",
      "skipjack"."jobs"."locked_by",
      "skipjack"."jobs"."last_error",
      "skipjack"."jobs"."unique_label",
      "skipjack"."jobs"."ordering_key",
      "skipjack"."jobs"."group_key",
      "skipjack"."jobs"."tags",
      "skipjack"."jobs"."headers",
      "skipjack"."jobs"."current_execution_id" as "execution_id",
      "skipjack"."jobs"."ordering_head"
  ),
  "archived" as (
    insert into "skipjack"."jobs_archive" (
      "id",
      "queue",
      "kind",
      "payload",
      "payload_version",
      "priority",
      "scheduled_at",
      "created_at",
      "started_at",
      "attempts",
      "uncounted_attempts",
      "max_attempts",
      "worker_id",
      "last_error",
      "unique_label",
      "ordering_key",
      "group_key",
      "tags",
      "headers",
      "execution_id",
      "status"
    )
    select
      "ended"."id",
      "ended"."queue",
      "ended"."kind",
      "ended"."payload",
      "ended"."payload_version",
      "ended"."priority",
      "ended"."scheduled_at",
      "ended"."created_at",
      "ended"."started_at",
      "ended"."attempts",
      "ended"."uncounted_attempts",
      "ended"."max_attempts",
      "ended"."locked_by",
      "ended"."last_error",
      "ended"."unique_label",
      "ended"."ordering_key",
      "ended"."group_key",
      "ended"."tags",
      "ended"."headers",
      "ended"."execution_id",
      'completed'
    from "ended"
    where not exists (
      select 1 as "one"
      from "skipjack"."job_queues"
      where (
        "skipjack"."job_queues"."queue" = "ended"."queue"
        and "skipjack"."job_queues"."archive_retention" = cast(interval '0 years 0 mons 0 days 0 hours 0 mins 0.0 secs' as interval)
      )
    )
    returning "skipjack"."jobs_archive"."id"
  ),
  "closed" as (
    update "skipjack"."job_executions"
    set
      "status" = 'succeeded',
      "finished_at" = clock_timestamp()
    where (
      "skipjack"."job_executions"."id" = any (
        array(
          select "ended"."execution_id"
          from "ended"
        )
      )
      and "skipjack"."job_executions"."started_at" >= timestamp with time zone '2024-03-04 00:00:00+00:00'
      and "skipjack"."job_executions"."started_at" < timestamp with time zone '2024-03-11 00:00:00+00:00'
    )
    returning "skipjack"."job_executions"."id"
  ),
  "freed" as materialized (
    select distinct "ended"."ordering_key"
    from "ended"
    where (
      "ended"."ordering_key" is not null
      and "ended"."ordering_head"
      and (
        select count(*)
        from "archived"
      ) >= 0
      and (
        select count(*)
        from "closed"
      ) >= 0
    )
  ),
  "next" as materialized (
    select "first"."id", "first"."position"
    from "freed"
      cross join lateral (
        select
          "skipjack"."jobs"."id",
          coalesce("skipjack"."jobs"."ordering_position", "skipjack"."jobs"."id") as "position"
        from "skipjack"."jobs"
        where (
          "skipjack"."jobs"."status" = 'waiting'
          and "skipjack"."jobs"."ordering_key" = "freed"."ordering_key"
        )
        order by coalesce("skipjack"."jobs"."ordering_position", "skipjack"."jobs"."id")
        fetch next 1 rows only
      ) as "first"
  ),
  "unlocked" as materialized (
    select
      "skipjack"."jobs"."id",
      (
        "skipjack"."jobs"."queue" = cast(? as text)
        and "skipjack"."jobs"."priority" = ?
        and "skipjack"."jobs"."kind" = any (
          cast(
            ?
            as text[]
          )
        )
        and "skipjack"."jobs"."scheduled_at" <= now()
        and ("skipjack"."jobs"."attempts" - "skipjack"."jobs"."uncounted_attempts") < "skipjack"."jobs"."max_attempts"
        and octet_length(cast("skipjack"."jobs"."payload" as text)) <= ?
        and (
          select "skipjack"."job_queues"."queue"
          from "skipjack"."job_queues"
          where (
            "skipjack"."job_queues"."queue" = cast(? as text)
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
      ) as "is_claimable"
    from "skipjack"."jobs"
    where (
      "skipjack"."jobs"."id" = any (
        array(
          select "next"."id"
          from "next"
        )
      )
      and "skipjack"."jobs"."ordering_head" is null
      and "skipjack"."jobs"."current_execution_id" is null
      and "skipjack"."jobs"."died_at" is null
      and coalesce("skipjack"."jobs"."ordering_position", "skipjack"."jobs"."id") = any (
        array(
          select "next"."position"
          from "next"
        )
      )
    )
    order by "skipjack"."jobs"."ordering_key"
    for no key update skip locked
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
      "limit_name" = cast(null as text),
      "updated_at" = clock_timestamp(),
      "ordering_head" = true
    where "skipjack"."jobs"."id" = any (
      array(
        select "unlocked"."id"
        from "unlocked"
        where "unlocked"."is_claimable" = true
      )
    )
    returning 
      "skipjack"."jobs"."id",
      "skipjack"."jobs"."current_execution_id",
      "skipjack"."jobs"."queue",
      "skipjack"."jobs"."kind",
      "skipjack"."jobs"."payload",
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
  ),
  "promoted" as (
    update "skipjack"."jobs"
    set
      "status" = 'pending',
      "ordering_head" = true,
      "updated_at" = clock_timestamp()
    where "skipjack"."jobs"."id" = any (
      array(
        select "unlocked"."id"
        from "unlocked"
        where "unlocked"."is_claimable" = false
      )
    )
    returning "skipjack"."jobs"."queue", "skipjack"."jobs"."priority", "skipjack"."jobs"."kind", "skipjack"."jobs"."scheduled_at"
  )
select
  "result"."verdict",
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
from (
  select case
    when exists (
      select 1 as "one"
      from "ended"
    ) then 'DONE'
    when exists (
      select 1 as "one"
      from "skipjack"."jobs"
      where (
        "skipjack"."jobs"."id" = ?
        and "skipjack"."jobs"."current_execution_id" = ?
      )
    ) then 'BUSY'
    else 'LOST'
  end as "verdict"
) as "result"
  left outer join "claimed"
    on true
