-- parameters: address, name, id
with
  "untaken" as materialized (
    select "skipjack"."job_signals"."address", "skipjack"."job_signals"."name", "skipjack"."job_signals"."id"
    from "skipjack"."job_signals"
    where (
      "skipjack"."job_signals"."taken_by_job" is null
      and ("skipjack"."job_signals"."address", "skipjack"."job_signals"."name", "skipjack"."job_signals"."id") > (
        cast(? as text),
        cast(? as text),
        ?
      )
    )
    order by "skipjack"."job_signals"."address", "skipjack"."job_signals"."name", "skipjack"."job_signals"."id"
    fetch next 1000 rows only
  ),
  "waiting" as materialized (
    select "wait"."job_id", "wait"."name"
    from "untaken"
      cross join lateral (
        select "skipjack"."job_waits"."job_id", "skipjack"."job_waits"."name"
        from "skipjack"."job_waits"
        where (
          "skipjack"."job_waits"."address" = "untaken"."address"
          and "skipjack"."job_waits"."name" = "untaken"."name"
        )
        order by "skipjack"."job_waits"."job_id"
        fetch next 100 rows only
      ) as "wait"
  ),
  "locked" as materialized (
    select "skipjack"."jobs"."id"
    from "skipjack"."jobs"
    where (
      "skipjack"."jobs"."id" = any (
        array(
          select "job_id"
          from "waiting"
        )
      )
      and (
        (
          "skipjack"."jobs"."current_execution_id" is null
          and "skipjack"."jobs"."died_at" is null
          and "skipjack"."jobs"."awaits" = any (
            array(
              select "name"
              from "waiting"
            )
          )
          and "skipjack"."jobs"."scheduled_at" > clock_timestamp()
        )
        or false
      )
    )
    order by "skipjack"."jobs"."id"
    for no key update skip locked
  ),
  "woken" as (
    update "skipjack"."jobs"
    set
      "scheduled_at" = case
        when "skipjack"."jobs"."current_execution_id" is null then clock_timestamp()
        else "skipjack"."jobs"."scheduled_at"
      end,
      "signals" = (mod(
        coalesce("skipjack"."jobs"."signals", 0),
        2147483647
      ) + 1),
      "updated_at" = clock_timestamp()
    where "skipjack"."jobs"."id" = any (
      array(
        select "locked"."id"
        from "locked"
      )
    )
    returning "skipjack"."jobs"."queue", "skipjack"."jobs"."priority", "skipjack"."jobs"."kind", "skipjack"."jobs"."current_execution_id"
  )
select
  "walked"."signals",
  "walked"."address",
  "walked"."name",
  "walked"."id",
  "woken"."queue",
  "woken"."priority",
  "woken"."kind",
  "woken"."current_execution_id"
from (
  select
    count(*) as "signals",
    (
      select "untaken"."address"
      from "untaken"
      order by "untaken"."address" desc, "untaken"."name" desc, "untaken"."id" desc
      fetch next 1 rows only
    ) as "address",
    (
      select "untaken"."name"
      from "untaken"
      order by "untaken"."address" desc, "untaken"."name" desc, "untaken"."id" desc
      fetch next 1 rows only
    ) as "name",
    (
      select "untaken"."id"
      from "untaken"
      order by "untaken"."address" desc, "untaken"."name" desc, "untaken"."id" desc
      fetch next 1 rows only
    ) as "id"
  from "untaken"
) as "walked"
  left outer join "woken"
    on true
