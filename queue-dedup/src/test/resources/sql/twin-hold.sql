-- parameters: unique_keys, twin_ids, twin_ids, unique_keys, twin_ids
with
  "unused" as materialized (
    select "skipjack"."jobs"."id"
    from "skipjack"."jobs"
      join unnest(cast(
        ?
        as text[]
      ), cast(
        ?
        as bigint[]
      )) with ordinality as "given" ("unique_key", "twin_id", "position")
        on "skipjack"."jobs"."id" = "given"."twin_id"
    where (
      "skipjack"."jobs"."id" = any (
        cast(
          ?
          as bigint[]
        )
      )
      and "skipjack"."jobs"."unique_key" is not distinct from "given"."unique_key"
      and case
        when "skipjack"."jobs"."status" = 'pending' then ("skipjack"."jobs"."attempts" = "skipjack"."jobs"."forgiven")
        else false
      end
    )
    order by "given"."position"
    for share of "jobs"
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
  "twin"."is_grippable"
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
      ("holder"."attempts" > "holder"."forgiven") as "has_used_attempt",
      case
        when "holder"."status" = 'pending' then ("holder"."attempts" = "holder"."forgiven")
        else false
      end as "is_grippable"
    from "skipjack"."jobs" as "holder"
    where (
      "holder"."id" = "given"."twin_id"
      and "holder"."unique_key" is not distinct from "given"."unique_key"
    )
    fetch next 1 rows only
  ) as "twin"
    on true
order by "given"."position"
