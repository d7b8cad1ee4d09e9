-- parameters: names, planned_at, updated_at, next_at, due_at, last_at, zone_rules, queues, kinds, payloads, payload_versions, priorities, max_attempts, scheduled_at, delays, tags, unique_keys, unique_labels, unique_untils, headers, ordering_keys, ordering_policies, groups, schedules, fire_keys, kept
with
  "locked" as materialized (
    select
      "skipjack"."job_schedules"."name",
      "move"."next_at",
      "move"."due_at",
      "move"."last_at",
      "move"."zone_rules"
    from "skipjack"."job_schedules"
      join unnest(cast(
        ?
        as text[]
      ), cast(
        ?
        as timestamp with time zone[]
      ), cast(
        ?
        as timestamp with time zone[]
      ), cast(
        ?
        as timestamp with time zone[]
      ), cast(
        ?
        as timestamp with time zone[]
      ), cast(
        ?
        as timestamp with time zone[]
      ), cast(
        ?
        as text[]
      )) as "move" (
        "name",
        "planned_at",
        "updated_at",
        "next_at",
        "due_at",
        "last_at",
        "zone_rules"
      )
        on "skipjack"."job_schedules"."name" = "move"."name"
    where (
      "skipjack"."job_schedules"."next_at" is not distinct from "move"."planned_at"
      and "skipjack"."job_schedules"."updated_at" = "move"."updated_at"
    )
    order by "skipjack"."job_schedules"."name"
    for update of "job_schedules" skip locked
  ),
  "incoming" as materialized (
    select
      pg_catalog.nextval('"skipjack"."jobs_id_seq"') as "id",
      "given".*
    from unnest(cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as int[]
    ), cast(
      ?
      as smallint[]
    ), cast(
      ?
      as int[]
    ), cast(
      ?
      as timestamp with time zone[]
    ), cast(
      ?
      as bigint[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
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
      "queue",
      "kind",
      "payload",
      "payload_version",
      "priority",
      "max_attempts",
      "scheduled_at",
      "delay",
      "tags",
      "unique_key",
      "unique_label",
      "unique_until",
      "headers",
      "ordering_key",
      "ordering_policy",
      "group",
      "schedule",
      "fire_key",
      "position"
    )
    where coalesce(
      ("given"."schedule" in (
        select "locked"."name"
        from "locked"
      )),
      false
    )
  ),
  "taken" as (
    insert into "skipjack"."job_keys" ("key", "job_id", "expires_at")
    select
      "incoming"."fire_key",
      "incoming"."id",
      clock_timestamp() + cast(? as double precision) * interval '1 microsecond'
    from "incoming"
    order by "incoming"."position"
    on conflict ("key")
    do update
    set
      "job_id" = excluded."job_id",
      "expires_at" = excluded."expires_at"
    where "skipjack"."job_keys"."expires_at" <= clock_timestamp()
    returning "skipjack"."job_keys"."job_id"
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
      "ordering_key",
      "ordering_policy",
      "group_key",
      "status"
    )
    select
      "incoming"."id",
      "incoming"."queue",
      "incoming"."kind",
      cast("incoming"."payload" as pg_catalog.jsonb),
      "incoming"."payload_version",
      coalesce("incoming"."priority", "skipjack"."job_queues"."default_priority", 0),
      coalesce("incoming"."max_attempts", "skipjack"."job_queues"."default_max_attempts", 25),
      greatest(coalesce("incoming"."scheduled_at", pg_catalog.clock_timestamp()), pg_catalog.clock_timestamp()) OPERATOR(pg_catalog.+) (cast("incoming"."delay" as double precision) OPERATOR(pg_catalog.*) interval '1 microsecond'),
      cast("incoming"."tags" as pg_catalog.text[]),
      "incoming"."unique_key",
      "incoming"."unique_label",
      "incoming"."unique_until",
      cast("incoming"."headers" as pg_catalog.jsonb),
      "incoming"."ordering_key",
      "incoming"."ordering_policy",
      "incoming"."group",
      case
        when "incoming"."ordering_key" is null then 'pending'
        else 'waiting'
      end
    from "incoming"
      left outer join "skipjack"."job_queues"
        on "skipjack"."job_queues"."queue" = "incoming"."queue"
    where (
      coalesce(
        ("incoming"."id" in (
          select "taken"."job_id"
          from "taken"
        )),
        false
      )
      and not (exists (
        select 1 as "one"
        from "skipjack"."jobs" as "holder"
        where "holder"."unique_key" = "incoming"."unique_key"
      ))
    )
    order by "incoming"."position"
    on conflict ("unique_key")
    where "unique_key" is not null
    do nothing
    returning "skipjack"."jobs"."id"
  ),
  "target" as (
    select
      "parts"."name",
      max("parts"."next_at") as "next_at",
      max("parts"."due_at") as "due_at",
      max("parts"."last_at") as "last_at",
      max("parts"."zone_rules") as "zone_rules",
      max("parts"."id") as "job_id"
    from (
      select
        "locked"."name",
        "locked"."next_at",
        "locked"."due_at",
        "locked"."last_at",
        "locked"."zone_rules",
        cast(null as bigint) as "id"
      from "locked"
      union all
      select
        "incoming"."schedule",
        cast(null as timestamp with time zone),
        cast(null as timestamp with time zone),
        cast(null as timestamp with time zone),
        cast(null as text),
        "incoming"."id"
      from "incoming"
      where "incoming"."id" in (
        select "inserted"."id"
        from "inserted"
      )
    ) as "parts"
    group by "parts"."name"
  ),
  "moved" as (
    update "skipjack"."job_schedules"
    set
      "next_at" = "target"."next_at",
      "due_at" = "target"."due_at",
      "last_at" = "target"."last_at",
      "zone_rules" = "target"."zone_rules",
      "missed_until" = case
        when "target"."next_at" <= "skipjack"."job_schedules"."missed_until" then "skipjack"."job_schedules"."missed_until"
      end,
      "last_job_id" = coalesce("target"."job_id", "skipjack"."job_schedules"."last_job_id"),
      "requested_at" = cast(null as timestamp with time zone),
      "failures" = 0,
      "failed_at" = cast(null as timestamp with time zone),
      "last_error" = cast(null as text)
    from "target"
    where "skipjack"."job_schedules"."name" = "target"."name"
    returning "skipjack"."job_schedules"."name"
  )
select
  "incoming"."position",
  case
    when "incoming"."id" in (
      select "inserted"."id"
      from "inserted"
    ) then "incoming"."id"
  end
from "incoming"
order by "incoming"."position"
