-- parameters: keys
with
  "headless" as materialized (
    select distinct "given"."ordering_key"
    from pg_catalog.unnest(cast(
      ?
      as text[]
    )) as "given" ("ordering_key")
    where (
      select "head"."id"
      from "skipjack"."jobs" as "head"
      where (
        "head"."ordering_key" = "given"."ordering_key"
        and "head"."ordering_head"
      )
    ) is null
  ),
  "next" as materialized (
    select "first"."id", "first"."position"
    from "headless"
      cross join lateral (
        select
          "skipjack"."jobs"."id",
          coalesce("skipjack"."jobs"."ordering_position", "skipjack"."jobs"."id") as "position"
        from "skipjack"."jobs"
        where (
          "skipjack"."jobs"."status" = 'waiting'
          and "skipjack"."jobs"."ordering_key" = "headless"."ordering_key"
        )
        order by coalesce("skipjack"."jobs"."ordering_position", "skipjack"."jobs"."id")
        fetch next 1 rows only
      ) as "first"
  ),
  "unlocked" as materialized (
    select "skipjack"."jobs"."id"
    from "skipjack"."jobs"
    where (
      "skipjack"."jobs"."id" = any (
        array(
          select "next"."id"
          from "next"
        )
      )
      and "skipjack"."jobs"."ordering_head" is null
      and "skipjack"."jobs"."current_execution_id" is null
      and "skipjack"."jobs"."died_at" is null
      and coalesce("skipjack"."jobs"."ordering_position", "skipjack"."jobs"."id") = any (
        array(
          select "next"."position"
          from "next"
        )
      )
    )
    order by "skipjack"."jobs"."ordering_key"
    for no key update skip locked
  ),
  "promoted" as (
    update "skipjack"."jobs"
    set
      "status" = 'pending',
      "ordering_head" = true,
      "updated_at" = clock_timestamp()
    where "skipjack"."jobs"."id" = any (
      array(
        select "unlocked"."id"
        from "unlocked"
      )
    )
    returning "skipjack"."jobs"."queue", "skipjack"."jobs"."priority", "skipjack"."jobs"."kind", "skipjack"."jobs"."scheduled_at"
  )
select
  "promoted"."queue",
  "promoted"."priority",
  "promoted"."kind",
  ("promoted"."scheduled_at" <= clock_timestamp())
from "promoted"
