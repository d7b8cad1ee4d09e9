-- parameters: payloads, queue, kind, payload_version, priority, max_attempts, scheduled_at, delay, tags, headers, owner, queue
with
  "incoming" as materialized (
    select
      pg_catalog.nextval('"skipjack"."jobs_id_seq"') as "id",
      "given".*
    from pg_catalog.unnest(cast(
      ?
      as text[]
    )) with ordinality as "given" ("payload", "position")
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
      "headers",
      "owner_id"
    )
    select
      "incoming"."id",
      ?,
      ?,
      cast("incoming"."payload" as pg_catalog.jsonb),
      cast(? as int),
      coalesce(
        cast(? as smallint),
        "skipjack"."job_queues"."default_priority",
        0
      ),
      coalesce(
        cast(? as int),
        "skipjack"."job_queues"."default_max_attempts",
        25
      ),
      greatest(coalesce(cast(? as timestamp with time zone), pg_catalog.clock_timestamp()), pg_catalog.clock_timestamp()) OPERATOR(pg_catalog.+) (cast(cast(? as bigint) as double precision) OPERATOR(pg_catalog.*) interval '1 microsecond'),
      cast(? as pg_catalog.text[]),
      (select cast(cast(? as pg_catalog.jsonb) as "skipjack".job_headers)),
      cast(? as bigint)
    from "incoming"
      left outer join "skipjack"."job_queues"
        on "skipjack"."job_queues"."queue" = ?
    order by "incoming"."position"
    returning "skipjack"."jobs"."id"
  )
select "incoming"."id"
from "incoming"
order by "incoming"."position"
