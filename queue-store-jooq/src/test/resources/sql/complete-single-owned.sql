-- parameters: job_id, execution_id, job_id, execution_id
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
      "ended"."owner_id",
      'completed'
    from "ended"
    where not exists (
      select 1 as "one"
      from "skipjack"."job_queues"
      where (
        "skipjack"."job_queues"."queue" = "ended"."queue"
        and "skipjack"."job_queues"."archive_retention" = cast(interval '0 years 0 mons 0 days 0 hours 0 mins 0.0 secs' as interval)
        and "ended"."owner_id" is null
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
  )
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
end
