-- parameters: queues, kinds, payloads, payload_versions, priorities, max_attempts, scheduled_at, delays, tags, unique_keys, unique_labels, unique_untils, idempotency_keys, idempotency_kept
with
  "asked" as materialized (
    select
      "given".*,
      "skipjack"."job_keys"."job_id" as "known_id"
    from unnest(cast(
      ?
      as varchar[]
    ), cast(
      ?
      as varchar[]
    ), cast(
      ?
      as varchar[]
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
      as varchar[]
    ), cast(
      ?
      as varchar[]
    ), cast(
      ?
      as varchar[]
    ), cast(
      ?
      as varchar[]
    ), cast(
      ?
      as varchar[]
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
      "idempotency_key",
      "idempotency_kept",
      "position"
    )
      left outer join "skipjack"."job_keys"
        on (
          "skipjack"."job_keys"."key" = "given"."idempotency_key"
          and "skipjack"."job_keys"."expires_at" > clock_timestamp()
        )
  ),
  "incoming" as materialized (
    select
      nextval('"skipjack"."jobs_id_seq"') as "id",
      "asked".*
    from "asked"
    where "asked"."known_id" is null
  ),
  "taken" as (
    insert into "skipjack"."job_keys" ("key", "job_id", "expires_at")
    select
      "incoming"."idempotency_key",
      "incoming"."id",
      clock_timestamp() + "incoming"."idempotency_kept" * interval '1 microsecond'
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
      "unique_until"
    )
    select
      "incoming"."id",
      "incoming"."queue",
      "incoming"."kind",
      cast("incoming"."payload" as jsonb),
      "incoming"."payload_version",
      "incoming"."priority",
      "incoming"."max_attempts",
      greatest(
        coalesce(
          "incoming"."scheduled_at",
          clock_timestamp()
        ),
        clock_timestamp()
      ) + "incoming"."delay" * interval '1 microsecond',
      cast("incoming"."tags" as text[]),
      "incoming"."unique_key",
      "incoming"."unique_label",
      "incoming"."unique_until"
    from "incoming"
    where "incoming"."id" in (
      select "taken"."job_id"
      from "taken"
    )
    order by "incoming"."position"
    returning "skipjack"."jobs"."id"
  )
select
  coalesce("asked"."known_id", "inserted"."id"),
  ("inserted"."id" is not null)
from "asked"
  left outer join "incoming"
    on "incoming"."position" = "asked"."position"
  left outer join "inserted"
    on "inserted"."id" = "incoming"."id"
order by "asked"."position"
