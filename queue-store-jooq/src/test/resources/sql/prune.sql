-- parameters: ids, ids
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
    for update skip locked
  ),
  "pruned" as (
    delete from "skipjack"."jobs"
    where "skipjack"."jobs"."id" = any (
      array(
        select "locked"."id"
        from "locked"
        where "locked"."status" = 'dead'
      )
    )
    returning "skipjack"."jobs"."id", "skipjack"."jobs"."ordering_key"
  )
select
  case
    when "pruned"."id" is not null then 'PRUNED'
    when "locked"."id" is not null then 'NOT_DEAD'
    when exists (
      select 1 as "one"
      from "skipjack"."jobs"
      where "skipjack"."jobs"."id" = "given"."id"
    ) then 'BUSY'
    else 'GONE'
  end,
  "pruned"."ordering_key"
from pg_catalog.unnest(cast(
  ?
  as bigint[]
)) with ordinality as "given" ("id", "position")
  left outer join "locked"
    on "locked"."id" = "given"."id"
  left outer join "pruned"
    on "pruned"."id" = "given"."id"
order by "given"."position"
