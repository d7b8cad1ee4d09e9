-- parameters: job_ids, execution_ids, job_ids, execution_ids, delays, finals, error_classes, error_messages, error_stacks, job_ids, execution_ids, delays, finals, error_classes, error_messages, error_stacks, job_ids, execution_ids, delays, finals, error_classes, error_messages, error_stacks
with
  "locked" as materialized (
    select
      "skipjack"."jobs"."id",
      ("skipjack"."jobs"."cancel_requested_at" is not null) as "is_cancelled"
    from "skipjack"."jobs"
    where (
      "skipjack"."jobs"."id" = any (
        cast(
          ?
          as bigint[]
        )
      )
      and "skipjack"."jobs"."current_execution_id" = any (
        cast(
          ?
          as bigint[]
        )
      )
    )
    order by "skipjack"."jobs"."id"
    for update skip locked
  ),
  "kept" as (
    update "skipjack"."jobs"
    set
      "status" = case
        when (
          "given"."is_final" = true
          or ("skipjack"."jobs"."attempts" - "skipjack"."jobs"."uncounted_attempts") >= "skipjack"."jobs"."max_attempts"
        ) then 'dead'
        else 'pending'
      end,
      "scheduled_at" = case
        when (
          "given"."is_final" = true
          or ("skipjack"."jobs"."attempts" - "skipjack"."jobs"."uncounted_attempts") >= "skipjack"."jobs"."max_attempts"
        ) then "skipjack"."jobs"."scheduled_at"
        else clock_timestamp() + cast("given"."delay" as double precision) * interval '1 microsecond'
      end,
      "died_at" = case
        when (
          "given"."is_final" = true
          or ("skipjack"."jobs"."attempts" - "skipjack"."jobs"."uncounted_attempts") >= "skipjack"."jobs"."max_attempts"
        ) then clock_timestamp()
      end,
      "unique_key" = case
        when (
          (
            "given"."is_final" = true
            or ("skipjack"."jobs"."attempts" - "skipjack"."jobs"."uncounted_attempts") >= "skipjack"."jobs"."max_attempts"
          )
          and "skipjack"."jobs"."unique_until" is distinct from 'ended'
        ) then cast(null as text)
        else "skipjack"."jobs"."unique_key"
      end,
      "freed_unique_key" = case
        when (
          (
            "given"."is_final" = true
            or ("skipjack"."jobs"."attempts" - "skipjack"."jobs"."uncounted_attempts") >= "skipjack"."jobs"."max_attempts"
          )
          and "skipjack"."jobs"."unique_until" is distinct from 'ended'
        ) then "skipjack"."jobs"."unique_key"
        else "skipjack"."jobs"."freed_unique_key"
      end,
      "current_execution_id" = cast(null as bigint),
      "lease_expires_at" = cast(null as timestamp with time zone),
      "updated_at" = clock_timestamp(),
      "last_error" = "given"."error_message",
      "last_error_class" = "given"."error_class"
    from unnest(cast(
      ?
      as bigint[]
    ), cast(
      ?
      as bigint[]
    ), cast(
      ?
      as bigint[]
    ), cast(
      ?
      as boolean[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    )) with ordinality as "given" (
      "job_id",
      "execution_id",
      "delay",
      "is_final",
      "error_class",
      "error_message",
      "error_stack",
      "position"
    )
    where (
      "skipjack"."jobs"."id" = "given"."job_id"
      and "skipjack"."jobs"."current_execution_id" = "given"."execution_id"
      and "skipjack"."jobs"."id" = any (
        array(
          select "locked"."id"
          from "locked"
          where "locked"."is_cancelled" = false
        )
      )
    )
    returning 
      "skipjack"."jobs"."id",
      "given"."execution_id" as "execution_id",
      "skipjack"."jobs"."status",
      "skipjack"."jobs"."queue",
      "skipjack"."jobs"."kind",
      "skipjack"."jobs"."started_at"
  ),
  "cancelled" as (
    delete from "skipjack"."jobs"
    where "skipjack"."jobs"."id" = any (
      array(
        select "locked"."id"
        from "locked"
        where "locked"."is_cancelled" = true
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
  "memos" as (
    delete from "skipjack"."job_steps"
    where "skipjack"."job_steps"."job_id" = any (
      array(
        select "cancelled"."id"
        from "cancelled"
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
        select "cancelled"."id"
        from "cancelled"
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
      "status",
      "steps"
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
      'cancelled',
      (select jsonb_agg(jsonb_strip_nulls(jsonb_build_object('name', "memos"."name", 'type', "memos"."type", 'at', "memos"."at", 'execution', "memos"."execution_id", 'sentBy', "memos"."sent_by", 'undoKind', "memos"."undo_kind"))
                  || case when octet_length(cast("memos"."result" as text)) <= 8192 then jsonb_build_object('result', "memos"."result") else '{}' end
                  order by "memos"."position", "memos"."name")
   from "memos" where "memos"."job_id" = "cancelled"."id")
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
  "undone" as (
    update "skipjack"."job_steps"
    set
      "type" = 'undone'
    where (
      "skipjack"."job_steps"."job_id" = any (
        array(
          select "kept"."id"
          from "kept"
          where "kept"."status" = 'dead'
        )
      )
      and "skipjack"."job_steps"."undo_kind" is not null
      and "skipjack"."job_steps"."type" = 'run'
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
  "undos" as (
    insert into "skipjack"."jobs" (
      "queue",
      "kind",
      "payload",
      "payload_version",
      "priority",
      "max_attempts",
      "status",
      "ordering_key"
    )
    select
      "stored"."undo_queue",
      "stored"."undo_kind",
      "stored"."undo_payload",
      "stored"."undo_payload_version",
      coalesce("skipjack"."job_queues"."default_priority", 0),
      coalesce("stored"."undo_max_attempts", "skipjack"."job_queues"."default_max_attempts", 25),
      'waiting',
      ('undo/' || cast("stored"."job_id" as text))
    from (
      select
        "memos"."job_id",
        "memos"."execution_id",
        "memos"."at",
        "memos"."position",
        "memos"."undo_payload_version",
        "memos"."undo_max_attempts",
        "memos"."type",
        "memos"."name",
        "memos"."sent_by",
        "memos"."undo_kind",
        "memos"."undo_queue",
        "memos"."undo_payload",
        "memos"."result"
      from "memos"
      where "memos"."type" = 'run'
      union all
      select
        "undone"."job_id",
        "undone"."execution_id",
        "undone"."at",
        "undone"."position",
        "undone"."undo_payload_version",
        "undone"."undo_max_attempts",
        "undone"."type",
        "undone"."name",
        "undone"."sent_by",
        "undone"."undo_kind",
        "undone"."undo_queue",
        "undone"."undo_payload",
        "undone"."result"
      from "undone"
    ) as "stored"
      left outer join "skipjack"."job_queues"
        on "skipjack"."job_queues"."queue" = "stored"."undo_queue"
    where "stored"."undo_kind" is not null
    order by "stored"."job_id", "stored"."position" desc, "stored"."name" desc
    returning "skipjack"."jobs"."id", "skipjack"."jobs"."ordering_key"
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
        when "ended"."status" = 'dead' then 'dead'
        else 'failed'
      end,
      "finished_at" = clock_timestamp(),
      "error_class" = "given"."error_class",
      "error_message" = "given"."error_message",
      "error_stack" = "given"."error_stack"
    from 
      "ended",
      unnest(cast(
        ?
        as bigint[]
      ), cast(
        ?
        as bigint[]
      ), cast(
        ?
        as bigint[]
      ), cast(
        ?
        as boolean[]
      ), cast(
        ?
        as text[]
      ), cast(
        ?
        as text[]
      ), cast(
        ?
        as text[]
      )) with ordinality as "given" (
        "job_id",
        "execution_id",
        "delay",
        "is_final",
        "error_class",
        "error_message",
        "error_stack",
        "position"
      )
    where (
      "skipjack"."job_executions"."id" = "ended"."execution_id"
      and "skipjack"."job_executions"."id" = any (
        array(
          select "ended"."execution_id"
          from "ended"
        )
      )
      and "skipjack"."job_executions"."started_at" >= timestamp with time zone '2024-03-04 00:00:00+00:00'
      and "skipjack"."job_executions"."started_at" < timestamp with time zone '2024-03-11 00:00:00+00:00'
      and "ended"."id" = "given"."job_id"
      and "ended"."execution_id" = "given"."execution_id"
    )
    returning "skipjack"."job_executions"."id"
  )
select
  case
    when "ended"."id" is not null then 'DONE'
    when exists (
      select 1 as "one"
      from "skipjack"."jobs"
      where (
        "skipjack"."jobs"."id" = "given"."job_id"
        and "skipjack"."jobs"."current_execution_id" = "given"."execution_id"
      )
    ) then 'BUSY'
    else 'LOST'
  end,
  "ended"."status"
from unnest(cast(
  ?
  as bigint[]
), cast(
  ?
  as bigint[]
), cast(
  ?
  as bigint[]
), cast(
  ?
  as boolean[]
), cast(
  ?
  as text[]
), cast(
  ?
  as text[]
), cast(
  ?
  as text[]
)) with ordinality as "given" (
  "job_id",
  "execution_id",
  "delay",
  "is_final",
  "error_class",
  "error_message",
  "error_stack",
  "position"
)
  left outer join "ended"
    on (
      "ended"."id" = "given"."job_id"
      and "ended"."execution_id" = "given"."execution_id"
    )
order by "given"."position"
