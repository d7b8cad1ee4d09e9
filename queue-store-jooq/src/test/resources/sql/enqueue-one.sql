-- parameters: queue, kind, payload, payload_version, priority, max_attempts, scheduled_at, delay, tags, unique_key, unique_label, unique_until, traceparent
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
  "traceparent"
)
select
  pg_catalog.nextval('"skipjack"."jobs_id_seq"'),
  "incoming"."queue",
  "incoming"."kind",
  cast("incoming"."payload" as jsonb),
  "incoming"."payload_version",
  coalesce("incoming"."priority", "skipjack"."job_queues"."default_priority", 0),
  coalesce("incoming"."max_attempts", "skipjack"."job_queues"."default_max_attempts", 25),
  greatest(
    coalesce(
      "incoming"."scheduled_at",
      clock_timestamp()
    ),
    clock_timestamp()
  ) + cast("incoming"."delay" as double precision) * interval '1 microsecond',
  cast("incoming"."tags" as text[]),
  "incoming"."unique_key",
  "incoming"."unique_label",
  "incoming"."unique_until",
  "incoming"."traceparent"
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
    cast(? as text) as "traceparent"
) as "incoming"
  left outer join "skipjack"."job_queues"
    on "skipjack"."job_queues"."queue" = "incoming"."queue"
returning "skipjack"."jobs"."id"
