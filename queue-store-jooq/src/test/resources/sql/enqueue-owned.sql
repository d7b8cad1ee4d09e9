-- parameters: queues, kinds, payloads, payload_versions, priorities, max_attempts, scheduled_at, delays, tags, unique_keys, unique_labels, unique_untils, headers, ordering_keys, ordering_policies, groups, owners
with
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
      as bigint[]
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
      "owner",
      "position"
    )
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
      "owner_id",
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
      "incoming"."owner",
      case
        when "incoming"."ordering_key" is null then 'pending'
        else 'waiting'
      end
    from "incoming"
      left outer join "skipjack"."job_queues"
        on "skipjack"."job_queues"."queue" = "incoming"."queue"
    order by "incoming"."position"
    returning "skipjack"."jobs"."id"
  )
select "incoming"."id"
from "incoming"
order by "incoming"."position"
