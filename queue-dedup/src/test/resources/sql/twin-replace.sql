-- parameters: queues, kinds, payloads, payload_versions, priorities, max_attempts, scheduled_at, delays, tags, unique_keys, unique_labels, unique_untils, headers, ordering_keys, ordering_policies, groups, twin_ids, holds, replaces_payload, replaces_priority, replaces_schedule, max_waits, twin_ids, queues, kinds, payloads, payload_versions, priorities, max_attempts, scheduled_at, delays, tags, unique_keys, unique_labels, unique_untils, headers, ordering_keys, ordering_policies, groups, twin_ids, holds, replaces_payload, replaces_priority, replaces_schedule, max_waits, queues, kinds, payloads, payload_versions, priorities, max_attempts, scheduled_at, delays, tags, unique_keys, unique_labels, unique_untils, headers, ordering_keys, ordering_policies, groups, twin_ids, holds, replaces_payload, replaces_priority, replaces_schedule, max_waits
with
  "unused" as materialized (
    select "skipjack"."jobs"."id"
    from "skipjack"."jobs"
      join unnest(cast(
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
      ), cast(
        ?
        as boolean[]
      ), cast(
        ?
        as boolean[]
      ), cast(
        ?
        as boolean[]
      ), cast(
        ?
        as boolean[]
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
        "twin_id",
        "holds",
        "replaces_payload",
        "replaces_priority",
        "replaces_schedule",
        "max_wait",
        "position"
      )
        on "skipjack"."jobs"."id" = "given"."twin_id"
    where (
      "skipjack"."jobs"."id" = any (
        cast(
          ?
          as bigint[]
        )
      )
      and "skipjack"."jobs"."unique_key" is not distinct from "given"."unique_key"
      and case
        when "skipjack"."jobs"."status" in (
          'pending', 'waiting'
        ) then ("skipjack"."jobs"."attempts" = "skipjack"."jobs"."uncounted_attempts")
        else false
      end
      and (
        "skipjack"."jobs"."kind" = "given"."kind"
        or "given"."holds" = true
      )
    )
    order by "given"."position"
    for no key update of "jobs"
  ),
  "replaced" as (
    update "skipjack"."jobs"
    set
      "payload" = case
        when "given"."replaces_payload" = true then cast("given"."payload" as jsonb)
        else "skipjack"."jobs"."payload"
      end,
      "payload_version" = case
        when "given"."replaces_payload" = true then "given"."payload_version"
        else "skipjack"."jobs"."payload_version"
      end,
      "priority" = case
        when "given"."replaces_priority" = true then coalesce(
          "given"."priority",
          (
            select "skipjack"."job_queues"."default_priority"
            from "skipjack"."job_queues"
            where "skipjack"."job_queues"."queue" = "skipjack"."jobs"."queue"
          ),
          0
        )
        else "skipjack"."jobs"."priority"
      end,
      "scheduled_at" = case
        when (
          "given"."max_wait" is not null
          and "skipjack"."jobs"."attempts" > 0
        ) then "skipjack"."jobs"."scheduled_at"
        when "given"."max_wait" is not null then greatest(
          clock_timestamp(),
          least(
            clock_timestamp() + cast("given"."delay" as double precision) * interval '1 microsecond',
            "skipjack"."jobs"."created_at" + cast("given"."max_wait" as double precision) * interval '1 microsecond'
          )
        )
        when "given"."replaces_schedule" = true then greatest(
          coalesce(
            "given"."scheduled_at",
            clock_timestamp()
          ),
          clock_timestamp()
        ) + cast("given"."delay" as double precision) * interval '1 microsecond'
        else "skipjack"."jobs"."scheduled_at"
      end,
      "updated_at" = clock_timestamp()
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
    ), cast(
      ?
      as boolean[]
    ), cast(
      ?
      as boolean[]
    ), cast(
      ?
      as boolean[]
    ), cast(
      ?
      as boolean[]
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
      "twin_id",
      "holds",
      "replaces_payload",
      "replaces_priority",
      "replaces_schedule",
      "max_wait",
      "position"
    )
    where (
      "skipjack"."jobs"."id" = "given"."twin_id"
      and "skipjack"."jobs"."id" = any (
        array(
          select "unused"."id"
          from "unused"
        )
      )
      and "skipjack"."jobs"."kind" = "given"."kind"
    )
    returning "skipjack"."jobs"."id"
  )
select
  coalesce(
    ("given"."twin_id" in (
      select "unused"."id"
      from "unused"
    )),
    false
  ),
  coalesce(
    ("given"."twin_id" in (
      select "replaced"."id"
      from "replaced"
    )),
    false
  ),
  "twin"."status",
  "twin"."has_used_attempt",
  "twin"."is_grippable",
  false
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
), cast(
  ?
  as boolean[]
), cast(
  ?
  as boolean[]
), cast(
  ?
  as boolean[]
), cast(
  ?
  as boolean[]
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
  "twin_id",
  "holds",
  "replaces_payload",
  "replaces_priority",
  "replaces_schedule",
  "max_wait",
  "position"
)
  left outer join lateral (
    select
      "holder"."status",
      ("holder"."attempts" > "holder"."uncounted_attempts") as "has_used_attempt",
      (
        case
          when "holder"."status" in (
            'pending', 'waiting'
          ) then ("holder"."attempts" = "holder"."uncounted_attempts")
          else false
        end
        and (
          "holder"."kind" = "given"."kind"
          or "given"."holds" = true
        )
      ) as "is_grippable"
    from "skipjack"."jobs" as "holder"
    where (
      "holder"."id" = "given"."twin_id"
      and "holder"."unique_key" is not distinct from "given"."unique_key"
    )
    fetch next 1 rows only
  ) as "twin"
    on true
order by "given"."position"
