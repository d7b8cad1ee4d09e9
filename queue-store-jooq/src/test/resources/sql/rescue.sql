-- parameters: after, limit, spread
with
  "expired" as materialized (
    select
      "skipjack"."jobs"."id",
      "skipjack"."jobs"."current_execution_id",
      ("skipjack"."jobs"."cancel_requested_at" is not null) as "is_cancelled"
    from "skipjack"."jobs"
    where (
      "skipjack"."jobs"."status" = 'running'
      and "skipjack"."jobs"."current_execution_id" > ?
      and "skipjack"."jobs"."lease_expires_at" < clock_timestamp()
      and "skipjack"."jobs"."current_execution_id" = (
        select "seen"."current_execution_id"
        from "skipjack"."jobs" as "seen"
        where "seen"."id" = "skipjack"."jobs"."id"
      )
    )
    order by "skipjack"."jobs"."current_execution_id"
    fetch next ? rows only
    for no key update skip locked
  ),
  "kept" as (
    update "skipjack"."jobs"
    set
      "status" = case
        when ("skipjack"."jobs"."attempts" - "skipjack"."jobs"."uncounted_attempts") >= "skipjack"."jobs"."max_attempts" then 'dead'
        else 'pending'
      end,
      "scheduled_at" = case
        when ("skipjack"."jobs"."attempts" - "skipjack"."jobs"."uncounted_attempts") >= "skipjack"."jobs"."max_attempts" then "skipjack"."jobs"."scheduled_at"
        else clock_timestamp() + cast(cast(
          (? * random())
          as bigint
        ) as double precision) * interval '1 microsecond'
      end,
      "died_at" = case
        when ("skipjack"."jobs"."attempts" - "skipjack"."jobs"."uncounted_attempts") >= "skipjack"."jobs"."max_attempts" then clock_timestamp()
      end,
      "unique_key" = case
        when (
          ("skipjack"."jobs"."attempts" - "skipjack"."jobs"."uncounted_attempts") >= "skipjack"."jobs"."max_attempts"
          and "skipjack"."jobs"."unique_until" is distinct from 'ended'
        ) then cast(null as text)
        else "skipjack"."jobs"."unique_key"
      end,
      "freed_unique_key" = case
        when (
          ("skipjack"."jobs"."attempts" - "skipjack"."jobs"."uncounted_attempts") >= "skipjack"."jobs"."max_attempts"
          and "skipjack"."jobs"."unique_until" is distinct from 'ended'
        ) then "skipjack"."jobs"."unique_key"
        else "skipjack"."jobs"."freed_unique_key"
      end,
      "current_execution_id" = cast(null as bigint),
      "lease_expires_at" = cast(null as timestamp with time zone),
      "updated_at" = clock_timestamp(),
      "last_error" = 'The lease ran out: the worker died, hung, or lost the database.',
      "last_error_class" = cast(null as text)
    from "expired"
    where (
      "skipjack"."jobs"."id" = "expired"."id"
      and "skipjack"."jobs"."id" = any (
        array(
          select "expired"."id"
          from "expired"
          where "expired"."is_cancelled" = false
        )
      )
    )
    returning 
      "skipjack"."jobs"."id",
      "expired"."current_execution_id" as "execution_id",
      "skipjack"."jobs"."status",
      "skipjack"."jobs"."queue",
      "skipjack"."jobs"."kind",
      "skipjack"."jobs"."started_at"
  ),
  "deletable" as materialized (
    select
      "skipjack"."jobs"."id",
      ("skipjack"."jobs"."cancel_requested_at" is not null) as "is_cancelled"
    from "skipjack"."jobs"
    where "skipjack"."jobs"."id" = any (
      array(
        select "expired"."id"
        from "expired"
        where "expired"."is_cancelled" = true
      )
    )
    order by "skipjack"."jobs"."id"
    for update skip locked
  ),
  "cancelled" as (
    delete from "skipjack"."jobs"
    where "skipjack"."jobs"."id" = any (
      array(
        select "deletable"."id"
        from "deletable"
        where "deletable"."is_cancelled" = true
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
      "skipjack"."jobs"."owner_id"
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
      "owner_id",
      "status"
    )
    select
      "cancelled"."id",
      "cancelled"."queue",
      "cancelled"."kind",
      "cancelled"."payload",
      "cancelled"."payload_version",
      "cancelled"."priority",
      "cancelled"."scheduled_at",
      "cancelled"."created_at",
      "cancelled"."started_at",
      "cancelled"."attempts",
      "cancelled"."uncounted_attempts",
      "cancelled"."max_attempts",
      "cancelled"."locked_by",
      "cancelled"."last_error",
      "cancelled"."unique_label",
      "cancelled"."ordering_key",
      "cancelled"."group_key",
      "cancelled"."tags",
      "cancelled"."headers",
      "cancelled"."execution_id",
      "cancelled"."owner_id",
      'cancelled'
    from "cancelled"
    where not exists (
      select 1 as "one"
      from "skipjack"."job_queues"
      where (
        "skipjack"."job_queues"."queue" = "cancelled"."queue"
        and "skipjack"."job_queues"."archive_retention" = cast(interval '0 years 0 mons 0 days 0 hours 0 mins 0.0 secs' as interval)
        and "cancelled"."owner_id" is null
      )
    )
    returning "skipjack"."jobs_archive"."id"
  ),
  "ended" as materialized (
    select
      "kept"."id",
      "kept"."execution_id",
      "kept"."status",
      "kept"."queue",
      "kept"."kind",
      "kept"."started_at"
    from "kept"
    union all
    select
      "cancelled"."id",
      "cancelled"."execution_id",
      'cancelled',
      "cancelled"."queue",
      "cancelled"."kind",
      "cancelled"."started_at"
    from "cancelled"
  ),
  "closed" as (
    update "skipjack"."job_executions"
    set
      "status" = case
        when "ended"."status" = 'cancelled' then 'cancelled'
        else 'lost'
      end,
      "finished_at" = clock_timestamp(),
      "error_message" = 'The lease ran out: the worker died, hung, or lost the database.'
    from "ended"
    where (
      "skipjack"."job_executions"."id" = "ended"."execution_id"
      and "skipjack"."job_executions"."id" = any (
        array(
          select "ended"."execution_id"
          from "ended"
        )
      )
    )
    returning "skipjack"."job_executions"."id"
  )
select
  "ended"."id",
  "ended"."execution_id",
  "ended"."status",
  "ended"."queue",
  "ended"."kind",
  "ended"."started_at"
from "ended"
