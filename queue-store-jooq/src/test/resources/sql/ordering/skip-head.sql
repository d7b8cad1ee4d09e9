-- parameters: key, head, key, head, key
with
  "head" as materialized (
    select "skipjack"."jobs"."id", "skipjack"."jobs"."status"
    from "skipjack"."jobs"
    where (
      "skipjack"."jobs"."ordering_key" = cast(? as text)
      and "skipjack"."jobs"."ordering_head"
      and "skipjack"."jobs"."id" = coalesce(?, "skipjack"."jobs"."id")
    )
    for no key update skip locked
  ),
  "to_back" as materialized (
    select
      "head"."id",
      pg_catalog.nextval('"skipjack"."jobs_id_seq"') as "position"
    from "head"
    where "head"."status" = 'pending'
  ),
  "skipped" as (
    update "skipjack"."jobs"
    set
      "ordering_head" = cast(null as boolean),
      "status" = case
        when "skipjack"."jobs"."status" = 'pending' then 'waiting'
        else "skipjack"."jobs"."status"
      end,
      "ordering_position" = coalesce(
        (
          select "to_back"."position"
          from "to_back"
          where "to_back"."id" = "skipjack"."jobs"."id"
        ),
        "skipjack"."jobs"."ordering_position"
      ),
      "updated_at" = clock_timestamp()
    where "skipjack"."jobs"."id" = any (
      array(
        select "head"."id"
        from "head"
        where "head"."status" in (
          'pending', 'dead'
        )
      )
    )
    returning "skipjack"."jobs"."id"
  )
select case
  when exists (
    select 1 as "one"
    from "skipped"
  ) then 'SKIPPED'
  when exists (
    select 1 as "one"
    from "head"
  ) then 'RUNNING'
  when exists (
    select 1 as "one"
    from "skipjack"."jobs"
    where (
      "skipjack"."jobs"."ordering_key" = cast(? as text)
      and "skipjack"."jobs"."ordering_head"
      and "skipjack"."jobs"."id" = coalesce(?, "skipjack"."jobs"."id")
    )
  ) then 'BUSY'
  when exists (
    select 1 as "one"
    from "skipjack"."jobs"
    where (
      "skipjack"."jobs"."ordering_key" = cast(? as text)
      and "skipjack"."jobs"."ordering_head"
    )
  ) then 'OTHER_HEAD'
  else 'NO_HEAD'
end
