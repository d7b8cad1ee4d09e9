-- parameters: ids, ids
with
  "locked" as materialized (
    select
      "skipjack"."jobs"."id",
      "skipjack"."jobs"."status",
      "skipjack"."jobs"."freed_unique_key",
      "skipjack"."jobs"."ordering_key",
      "skipjack"."jobs"."ordering_head",
      coalesce("skipjack"."jobs"."ordering_position", "skipjack"."jobs"."id") as "position"
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
  "free" as materialized (
    select min("locked"."id") as "id"
    from "locked"
    where (
      "locked"."status" = 'dead'
      and not exists (
        select 1 as "one"
        from "skipjack"."jobs" as "holder"
        where "holder"."unique_key" = "locked"."freed_unique_key"
      )
    )
    group by coalesce(
      "locked"."freed_unique_key",
      cast("locked"."id" as varchar)
    )
  ),
  "to_back" as materialized (
    select
      "in_order"."id",
      pg_catalog.nextval('"skipjack"."jobs_id_seq"') as "position"
    from (
      select "locked"."id"
      from "locked"
      where (
        "locked"."id" in (
          select "free"."id"
          from "free"
        )
        and "locked"."ordering_key" is not null
        and "locked"."ordering_head" is null
      )
      order by "locked"."position"
    ) as "in_order"
  ),
  "redriven" as (
    update "skipjack"."jobs"
    set
      "status" = case
        when (
          "skipjack"."jobs"."ordering_key" is not null
          and "skipjack"."jobs"."ordering_head" is null
        ) then 'waiting'
        else 'pending'
      end,
      "ordering_position" = coalesce(
        (
          select "to_back"."position"
          from "to_back"
          where "to_back"."id" = "skipjack"."jobs"."id"
        ),
        "skipjack"."jobs"."ordering_position"
      ),
      "scheduled_at" = clock_timestamp(),
      "uncounted_attempts" = "skipjack"."jobs"."attempts",
      "died_at" = cast(null as timestamp with time zone),
      "current_execution_id" = cast(null as bigint),
      "lease_expires_at" = cast(null as timestamp with time zone),
      "cancel_requested_at" = cast(null as timestamp with time zone),
      "unique_key" = coalesce("skipjack"."jobs"."unique_key", "skipjack"."jobs"."freed_unique_key"),
      "freed_unique_key" = cast(null as text),
      "updated_at" = clock_timestamp()
    where "skipjack"."jobs"."id" = any (
      array(
        select "free"."id"
        from "free"
      )
    )
    returning "skipjack"."jobs"."id", "skipjack"."jobs"."ordering_key"
  )
select
  case
    when "redriven"."id" is not null then 'REDRIVEN'
    when "locked"."status" = 'dead' then 'CONFLICT'
    when "locked"."id" is not null then 'NOT_DEAD'
    when exists (
      select 1 as "one"
      from "skipjack"."jobs"
      where "skipjack"."jobs"."id" = "given"."id"
    ) then 'BUSY'
    else 'GONE'
  end,
  coalesce(
    (
      select "holder"."id"
      from "skipjack"."jobs" as "holder"
      where "holder"."unique_key" = "locked"."freed_unique_key"
    ),
    (
      select min("twin"."id")
      from "locked" as "twin"
      where "twin"."freed_unique_key" = "locked"."freed_unique_key"
    )
  ),
  "redriven"."ordering_key"
from pg_catalog.unnest(cast(
  ?
  as bigint[]
)) with ordinality as "given" ("id", "position")
  left outer join "locked"
    on "locked"."id" = "given"."id"
  left outer join "redriven"
    on "redriven"."id" = "given"."id"
order by "given"."position"
