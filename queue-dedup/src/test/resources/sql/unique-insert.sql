-- parameters: queues, kinds, payloads, payload_versions, priorities, max_attempts, scheduled_at, delays, tags, unique_keys, unique_labels, unique_untils, headers, ordering_keys, ordering_policies, groups
with
  "incoming" as materialized (
    select
      case
        when (
          "twin"."id" is null
          or pg_catalog.current_setting('transaction_isolation') in (
            'repeatable read', 'serializable'
          )
        ) then pg_catalog.nextval('"skipjack"."jobs_id_seq"')
      end as "id",
      "twin"."id" as "twin_id",
      "twin"."status" as "twin_status",
      "twin"."has_used_attempt" as "twin_has_used_attempt",
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
      "position"
    )
      left outer join lateral (
        select
          "holder"."id",
          "holder"."status",
          ("holder"."attempts" > "holder"."uncounted_attempts") as "has_used_attempt"
        from "skipjack"."jobs" as "holder"
        where "holder"."unique_key" = "given"."unique_key"
        fetch next 1 rows only
      ) as "twin"
        on true
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
    where "incoming"."id" is not null
    order by "incoming"."position"
    on conflict ("unique_key")
    where "unique_key" is not null
    do nothing
    returning "skipjack"."jobs"."id"
  ),
  "answered" as materialized (
    select
      "incoming"."position",
      "incoming"."id",
      "incoming"."twin_id",
      "incoming"."twin_status",
      "incoming"."twin_has_used_attempt",
      coalesce(
        ("incoming"."id" in (
          select "inserted"."id"
          from "inserted"
        )),
        false
      ) as "is_new"
    from "incoming"
  )
select
  case
    when "answered"."is_new" then "answered"."id"
    else "answered"."twin_id"
  end,
  case
    when not ("answered"."is_new") then "answered"."twin_status"
  end,
  "answered"."twin_has_used_attempt"
from "answered"
order by "answered"."position"
