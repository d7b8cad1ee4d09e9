-- parameters: queue, kind, payload, payload_version, priority, queue, max_attempts, queue, scheduled_at, delay, tags, unique_key, unique_label, unique_until, headers, ordering_key, ordering_policy, group, owner, ordering_key
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
values (
  pg_catalog.nextval('"skipjack"."jobs_id_seq"'), 
  ?, 
  ?, 
  cast(? as pg_catalog.jsonb), 
  cast(? as int), 
  coalesce(
    cast(? as smallint),
    (
      select "skipjack"."job_queues"."default_priority"
      from "skipjack"."job_queues"
      where ("skipjack"."job_queues"."queue" OPERATOR(pg_catalog.=) ?)
    ),
    0
  ), 
  coalesce(
    cast(? as int),
    (
      select "skipjack"."job_queues"."default_max_attempts"
      from "skipjack"."job_queues"
      where ("skipjack"."job_queues"."queue" OPERATOR(pg_catalog.=) ?)
    ),
    25
  ), 
  greatest(coalesce(cast(? as timestamp with time zone), pg_catalog.clock_timestamp()), pg_catalog.clock_timestamp()) OPERATOR(pg_catalog.+) (cast(cast(? as bigint) as double precision) OPERATOR(pg_catalog.*) interval '1 microsecond'), 
  cast(? as pg_catalog.text[]), 
  ?, 
  ?, 
  ?, 
  cast(? as pg_catalog.jsonb), 
  ?, 
  ?, 
  ?, 
  cast(? as bigint), 
  case
    when ? is null then 'pending'
    else 'waiting'
  end
)
returning "skipjack"."jobs"."id"
