-- parameters: key, head
with
  "unlocked" as materialized (
    select "skipjack"."jobs"."id"
    from "skipjack"."jobs"
    where (
      "skipjack"."jobs"."ordering_key" = cast(? as text)
      and "skipjack"."jobs"."ordering_head"
      and "skipjack"."jobs"."id" = coalesce(?, "skipjack"."jobs"."id")
      and "skipjack"."jobs"."status" = 'dead'
    )
    for no key update skip locked
  ),
  "released" as (
    update "skipjack"."jobs"
    set
      "ordering_head" = cast(null as boolean),
      "updated_at" = clock_timestamp()
    where "skipjack"."jobs"."id" = any (
      array(
        select "unlocked"."id"
        from "unlocked"
      )
    )
    returning "skipjack"."jobs"."ordering_key"
  )
select "released"."ordering_key"
from "released"
