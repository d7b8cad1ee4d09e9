-- parameters: head, limit, head
with
  "head" as materialized (
    select "skipjack"."jobs"."id", "skipjack"."jobs"."ordering_key", "skipjack"."jobs"."died_at"
    from "skipjack"."jobs"
    where (
      "skipjack"."jobs"."id" = ?
      and "skipjack"."jobs"."ordering_head"
      and "skipjack"."jobs"."died_at" is not null
    )
    for no key update skip locked
  ),
  "unlocked" as materialized (
    select "skipjack"."jobs"."id"
    from "head"
      join "skipjack"."jobs"
        on (
          "skipjack"."jobs"."status" = 'waiting'
          and "skipjack"."jobs"."ordering_key" = "head"."ordering_key"
          and "skipjack"."jobs"."created_at" <= "head"."died_at"
        )
    order by coalesce("skipjack"."jobs"."ordering_position", "skipjack"."jobs"."id")
    fetch next ? rows only
    for no key update of "jobs" skip locked
  ),
  "parked" as (
    update "skipjack"."jobs"
    set
      "status" = 'dead',
      "died_at" = clock_timestamp(),
      "last_error" = (('Parked behind job ' || cast(? as varchar)) || ', which died.'),
      "last_error_class" = cast(null as text),
      "unique_key" = case
        when "skipjack"."jobs"."unique_until" is distinct from 'ended' then cast(null as text)
        else "skipjack"."jobs"."unique_key"
      end,
      "freed_unique_key" = case
        when "skipjack"."jobs"."unique_until" is distinct from 'ended' then "skipjack"."jobs"."unique_key"
        else "skipjack"."jobs"."freed_unique_key"
      end,
      "updated_at" = clock_timestamp()
    where "skipjack"."jobs"."id" = any (
      array(
        select "unlocked"."id"
        from "unlocked"
      )
    )
    returning "skipjack"."jobs"."id"
  )
select
  (
    select count(*)
    from "parked"
  ),
  (exists (
    select 1 as "one"
    from "head"
      join "skipjack"."jobs"
        on (
          "skipjack"."jobs"."status" = 'waiting'
          and "skipjack"."jobs"."ordering_key" = "head"."ordering_key"
          and "skipjack"."jobs"."created_at" <= "head"."died_at"
        )
    where "skipjack"."jobs"."id" not in (
      select "unlocked"."id"
      from "unlocked"
    )
  )),
  (exists (
    select 1 as "one"
    from "head"
  ))
