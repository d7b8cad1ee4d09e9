-- parameters: queues, kinds, payloads, payload_versions, priorities, max_attempts, scheduled_at, delays, tags, unique_keys, unique_labels, unique_untils, trace_parents, twin_ids, replaces_payload, replaces_priority, replaces_schedule, max_waits
with
  "unused" as (
    select 0 as "id"
    where false
  )
select
  coalesce(
    ("given"."twin_id" in (
      select "unused"."id"
      from "unused"
    )),
    false
  ),
  "twin"."status",
  "twin"."has_used_attempt",
  "twin"."is_of_kind"
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
  "trace_parent",
  "twin_id",
  "replaces_payload",
  "replaces_priority",
  "replaces_schedule",
  "max_wait",
  "position"
)
  left outer join lateral (
    select
      "holder"."status",
      ("holder"."attempts" > "holder"."forgiven") as "has_used_attempt",
      ("holder"."kind" = "given"."kind") as "is_of_kind"
    from "skipjack"."jobs" as "holder"
    where (
      "holder"."id" = "given"."twin_id"
      and "holder"."unique_key" is not distinct from "given"."unique_key"
    )
    fetch next 1 rows only
  ) as "twin"
    on true
order by "given"."position"
