-- parameters: job_id, execution_id, result
with
  "ended" as (
    delete from "skipjack"."jobs"
    where (
      "skipjack"."jobs"."id" = ?
      and "skipjack"."jobs"."current_execution_id" = ?
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
      "skipjack"."jobs"."owner_id",
      "skipjack"."jobs"."ordering_head"
  ),
  "memos" as (
    delete from "skipjack"."job_steps"
    where "skipjack"."job_steps"."job_id" = any (
      array(
        select "ended"."id"
        from "ended"
      )
    )
    returning 
      "skipjack"."job_steps"."job_id",
      "skipjack"."job_steps"."execution_id",
      "skipjack"."job_steps"."at",
      "skipjack"."job_steps"."position",
      "skipjack"."job_steps"."undo_payload_version",
      "skipjack"."job_steps"."undo_max_attempts",
      "skipjack"."job_steps"."type",
      "skipjack"."job_steps"."name",
      "skipjack"."job_steps"."sent_by",
      "skipjack"."job_steps"."undo_kind",
      "skipjack"."job_steps"."undo_queue",
      "skipjack"."job_steps"."undo_payload",
      "skipjack"."job_steps"."result"
  ),
  "waits" as (
    delete from "skipjack"."job_waits"
    where "skipjack"."job_waits"."job_id" = any (
      array(
        select "ended"."id"
        from "ended"
      )
    )
    returning "skipjack"."job_waits"."job_id"
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
      "steps",
      "status",
      "result"
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
      (select jsonb_agg(jsonb_strip_nulls(jsonb_build_object('name', "memos"."name", 'type', "memos"."type", 'at', "memos"."at", 'execution', "memos"."execution_id", 'sentBy', "memos"."sent_by", 'undoKind', "memos"."undo_kind"))
                  || case when octet_length(cast("memos"."result" as text)) <= 8192 then jsonb_build_object('result', "memos"."result") else '{}' end
                  order by "memos"."position", "memos"."name")
   from "memos" where "memos"."job_id" = "ended"."id"),
      'completed',
      cast(
        cast(? as text)
        as jsonb
      )
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
  ),
  "freed" as materialized (
    select distinct "ended"."ordering_key"
    from "ended"
    where (
      "ended"."ordering_key" is not null
      and "ended"."ordering_head"
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
    select "skipjack"."jobs"."id"
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
      )
    )
    returning "skipjack"."jobs"."queue", "skipjack"."jobs"."priority", "skipjack"."jobs"."kind", "skipjack"."jobs"."scheduled_at"
  )
select count(*)
from "ended"
