-- parameters: ids, ids
with
  "gone" as materialized (
    select "given"."id"
    from pg_catalog.unnest(cast(
      ?
      as bigint[]
    )) as "given" ("id")
    where not exists (
      select 1 as "one"
      from "skipjack"."jobs"
      where "skipjack"."jobs"."id" = "given"."id"
    )
  ),
  "dead" as materialized (
    select "skipjack"."jobs"."id"
    from "skipjack"."jobs"
    where (
      "skipjack"."jobs"."id" = any (
        cast(
          ?
          as bigint[]
        )
      )
      and "skipjack"."jobs"."died_at" is not null
    )
    order by "skipjack"."jobs"."id"
    for no key update skip locked
  ),
  "memos" as (
    delete from "skipjack"."job_steps"
    where "skipjack"."job_steps"."job_id" = any (
      array(
        select "gone"."id"
        from "gone"
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
        select "gone"."id"
        from "gone"
        union all
        select "dead"."id"
        from "dead"
      )
    )
    returning "skipjack"."job_waits"."job_id"
  ),
  "undone" as (
    update "skipjack"."job_steps"
    set
      "type" = 'undone'
    where (
      "skipjack"."job_steps"."job_id" = any (
        array(
          select "dead"."id"
          from "dead"
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
    where (
      "stored"."undo_kind" is not null
      and not (
        exists (
          select 1 as "one"
          from "skipjack"."jobs_archive"
          where (
            "skipjack"."jobs_archive"."id" = "stored"."job_id"
            and "skipjack"."jobs_archive"."status" = 'completed'
          )
        )
        or exists (
          select 1 as "one"
          from "skipjack"."job_executions"
          where (
            "skipjack"."job_executions"."job_id" = "stored"."job_id"
            and "skipjack"."job_executions"."status" = 'succeeded'
          )
        )
      )
    )
    order by "stored"."job_id", "stored"."position" desc, "stored"."name" desc
    returning "skipjack"."jobs"."id", "skipjack"."jobs"."ordering_key"
  ),
  "folded" as (
    update "skipjack"."jobs_archive"
    set
      "steps" = coalesce("skipjack"."jobs_archive"."steps", cast('[]' as jsonb)) || (select jsonb_agg(jsonb_strip_nulls(jsonb_build_object('name', "memos"."name", 'type', "memos"."type", 'at', "memos"."at", 'execution', "memos"."execution_id", 'sentBy', "memos"."sent_by", 'undoKind', "memos"."undo_kind"))
                  || case when octet_length(cast("memos"."result" as text)) <= 8192 then jsonb_build_object('result', "memos"."result") else '{}' end
                  order by "memos"."position", "memos"."name")
   from "memos" where "memos"."job_id" = "skipjack"."jobs_archive"."id")
    where "skipjack"."jobs_archive"."id" = any (
      array(
        select "memos"."job_id"
        from "memos"
      )
    )
    returning "skipjack"."jobs_archive"."id"
  )
select distinct "undos"."ordering_key"
from "undos"
