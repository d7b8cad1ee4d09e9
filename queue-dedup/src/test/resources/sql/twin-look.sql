-- parameters: unique_keys, twin_ids
with
  "unused" as (
    select 0 as "id"
    where false
  )
select
  coalesce(
    ("given"."twin_id" in (
      select "unused"."id"
      from "unused"
    )),
    false
  ),
  false,
  "twin"."status",
  "twin"."has_used_attempt",
  "twin"."is_grippable",
  false
from unnest(cast(
  ?
  as text[]
), cast(
  ?
  as bigint[]
)) with ordinality as "given" ("unique_key", "twin_id", "position")
  left outer join lateral (
    select
      "holder"."status",
      ("holder"."attempts" > "holder"."uncounted_attempts") as "has_used_attempt",
      false as "is_grippable"
    from "skipjack"."jobs" as "holder"
    where (
      "holder"."id" = "given"."twin_id"
      and "holder"."unique_key" is not distinct from "given"."unique_key"
    )
    fetch next 1 rows only
  ) as "twin"
    on true
order by "given"."position"
