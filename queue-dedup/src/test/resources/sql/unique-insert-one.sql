-- parameters: unique_key, queue, kind, payload, payload_version, priority, max_attempts, scheduled_at, delay, tags, unique_key, unique_label, unique_until, headers, ordering_key, ordering_policy, group
with
  "twin" as materialized (
    select
      "holder"."id",
      "holder"."status",
      ("holder"."attempts" > "holder"."uncounted_attempts") as "has_used_attempt"
    from "skipjack"."jobs" as "holder"
    where "holder"."unique_key" = cast(? as text)
    fetch next 1 rows only
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
      pg_catalog.nextval('"skipjack"."jobs_id_seq"'),
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
    from (
      select
        cast(? as text) as "queue",
        cast(? as text) as "kind",
        cast(? as text) as "payload",
        cast(? as int) as "payload_version",
        cast(? as smallint) as "priority",
        cast(? as int) as "max_attempts",
        cast(
          cast(? as text)
          as timestamp with time zone
        ) as "scheduled_at",
        cast(? as bigint) as "delay",
        cast(? as text) as "tags",
        cast(? as text) as "unique_key",
        cast(? as text) as "unique_label",
        cast(? as text) as "unique_until",
        cast(? as text) as "headers",
        cast(? as text) as "ordering_key",
        cast(? as text) as "ordering_policy",
        cast(? as text) as "group"
    ) as "incoming"
      left outer join "skipjack"."job_queues"
        on "skipjack"."job_queues"."queue" = "incoming"."queue"
    where not exists (
      select 1 as "one"
      from "twin"
    )
    on conflict ("unique_key")
    where "unique_key" is not null
    do nothing
    returning "skipjack"."jobs"."id"
  )
(
  select
    "inserted"."id",
    cast(null as text),
    cast(null as boolean)
  from "inserted"
)
union all (
  select "twin"."id", "twin"."status", "twin"."has_used_attempt"
  from "twin"
)
