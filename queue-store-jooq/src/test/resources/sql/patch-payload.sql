-- parameters: ids, patch, statuses, most, statuses, ids
with
  "locked" as materialized (
    select "skipjack"."jobs"."id", "skipjack"."jobs"."status", "skipjack"."jobs"."payload"
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
  "merged" as materialized (
    select
      "locked"."id",
      "skipjack"."merge_patch"(
        "target" := "locked"."payload",
        "patch" := cast(
          cast(? as text)
          as jsonb
        )
      ) as "payload"
    from "locked"
    where (
      "locked"."status" = any (
        cast(
          ?
          as text[]
        )
      )
      and jsonb_typeof("locked"."payload") = 'object'
    )
  ),
  "patched" as (
    update "skipjack"."jobs"
    set
      "payload" = "merged"."payload",
      "updated_at" = clock_timestamp()
    from "merged"
    where (
      "skipjack"."jobs"."id" = "merged"."id"
      and "skipjack"."jobs"."id" = any (
        array(
          select "merged"."id"
          from "merged"
        )
      )
      and (
        cast(
          octet_length(cast("merged"."payload" as varchar))
          as bigint
        ) <= ?
        or cast(
          octet_length(cast("merged"."payload" as varchar))
          as bigint
        ) <= cast(
          octet_length(cast("skipjack"."jobs"."payload" as varchar))
          as bigint
        )
      )
    )
    returning "skipjack"."jobs"."id"
  )
select case
  when "patched"."id" is not null then 'PATCHED'
  when "merged"."id" is not null then 'TOO_LARGE'
  when "locked"."status" = any (
    cast(
      ?
      as text[]
    )
  ) then 'NO_OBJECT'
  when "locked"."id" is not null then 'OTHER_STATUS'
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
  left outer join "merged"
    on "merged"."id" = "given"."id"
  left outer join "patched"
    on "patched"."id" = "given"."id"
order by "given"."position"
