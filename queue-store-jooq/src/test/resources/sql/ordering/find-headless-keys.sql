-- parameters: after, limit, limit
with recursive
  "waiting"("ordering_key", "number") as (
    select "first"."ordering_key", 1
    from (
      select "skipjack"."jobs"."ordering_key"
      from "skipjack"."jobs"
      where (
        "skipjack"."jobs"."status" = 'waiting'
        and "skipjack"."jobs"."ordering_key" > cast(? as text)
      )
      order by
        "skipjack"."jobs"."ordering_key",
        coalesce("skipjack"."jobs"."ordering_position", "skipjack"."jobs"."id")
      fetch next 1 rows only
    ) as "first"
    union all
    select
      "next"."ordering_key",
      ("waiting"."number" + 1)
    from "waiting"
      cross join lateral (
        select "skipjack"."jobs"."ordering_key"
        from "skipjack"."jobs"
        where (
          "skipjack"."jobs"."status" = 'waiting'
          and "skipjack"."jobs"."ordering_key" > "waiting"."ordering_key"
        )
        order by
          "skipjack"."jobs"."ordering_key",
          coalesce("skipjack"."jobs"."ordering_position", "skipjack"."jobs"."id")
        fetch next 1 rows only
      ) as "next"
    where "waiting"."number" < ?
  )
select "found"."ordering_key", "found"."is_headless", "found"."number"
from (
  select
    "waiting"."ordering_key",
    "waiting"."number",
    ((
      select "head"."id"
      from "skipjack"."jobs" as "head"
      where (
        "head"."ordering_key" = "waiting"."ordering_key"
        and "head"."ordering_head"
      )
    ) is null) as "is_headless"
  from "waiting"
) as "found"
where (
  "found"."is_headless"
  or "found"."number" = 1
  or "found"."number" = ?
)
