-- parameters: ids, priority, scheduled_at, delay, payload, ids
with
  "locked" as materialized (
    select "skipjack"."jobs"."id", "skipjack"."jobs"."status"
    from "skipjack"."jobs"
    where "skipjack"."jobs"."id" = any (
      cast(
        ?
        as bigint[]
      )
    )
    order by "skipjack"."jobs"."id"
    for no key update skip locked
  ),
  "edited" as (
    update "skipjack"."jobs"
    set
      "priority" = coalesce("change"."priority", "skipjack"."jobs"."priority"),
      "scheduled_at" = case
        when coalesce(
          "change"."scheduled_at",
          clock_timestamp() + cast("change"."delay" as double precision) * interval '1 microsecond'
        ) is not null then greatest(
          clock_timestamp(),
          coalesce(
            "change"."scheduled_at",
            clock_timestamp() + cast("change"."delay" as double precision) * interval '1 microsecond'
          )
        )
        else "skipjack"."jobs"."scheduled_at"
      end,
      "payload" = coalesce(
        cast("change"."payload" as jsonb),
        "skipjack"."jobs"."payload"
      ),
      "updated_at" = clock_timestamp()
    from unnest(cast(
      ?
      as smallint[]
    ), cast(
      ?
      as timestamp with time zone[]
    ), cast(
      ?
      as bigint[]
    ), cast(
      ?
      as text[]
    )) as "change" ("priority", "scheduled_at", "delay", "payload")
    where (
      "skipjack"."jobs"."id" = any (
        array(
          select "locked"."id"
          from "locked"
          where "locked"."status" in (
            'pending', 'waiting', 'dead'
          )
        )
      )
      and (
        "skipjack"."jobs"."status" <> 'dead'
        or coalesce(
          "change"."scheduled_at",
          clock_timestamp() + cast("change"."delay" as double precision) * interval '1 microsecond'
        ) is null
      )
    )
    returning "skipjack"."jobs"."id"
  )
select case
  when "edited"."id" is not null then 'EDITED'
  when "locked"."id" is not null then 'NOT_PENDING'
  when exists (
    select 1 as "one"
    from "skipjack"."jobs"
    where "skipjack"."jobs"."id" = "given"."id"
  ) then 'BUSY'
  else 'GONE'
end
from pg_catalog.unnest(cast(
  ?
  as bigint[]
)) with ordinality as "given" ("id", "position")
  left outer join "locked"
    on "locked"."id" = "given"."id"
  left outer join "edited"
    on "edited"."id" = "given"."id"
order by "given"."position"
