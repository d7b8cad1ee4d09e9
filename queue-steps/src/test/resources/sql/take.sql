-- parameters: job_id, execution_id, address, name, job_id, address, name, position, name, job_id, address, name, job_id
with
  "held" as materialized (
    select "skipjack"."jobs"."id", "skipjack"."jobs"."current_execution_id", "skipjack"."jobs"."signals"
    from "skipjack"."jobs"
    where (
      "skipjack"."jobs"."id" = ?
      and "skipjack"."jobs"."current_execution_id" = ?
    )
  ),
  "open" as materialized (
    select "skipjack"."job_waits"."ends_at"
    from "skipjack"."job_waits"
    where (
      "skipjack"."job_waits"."address" = cast(? as text)
      and "skipjack"."job_waits"."name" = cast(? as text)
      and "skipjack"."job_waits"."job_id" = ?
    )
  ),
  "found" as materialized (
    select "skipjack"."job_signals"."id", "skipjack"."job_signals"."payload", "skipjack"."job_signals"."sent_by", "skipjack"."job_signals"."link_id"
    from "skipjack"."job_signals"
    where (
      "skipjack"."job_signals"."address" = cast(? as text)
      and "skipjack"."job_signals"."name" = cast(? as text)
      and "skipjack"."job_signals"."taken_by_job" is null
      and "skipjack"."job_signals"."expires_at" > now()
    )
    order by "skipjack"."job_signals"."id"
    fetch next 1 rows only
    for update skip locked
  ),
  "memo" as (
    insert into "skipjack"."job_steps" (
      "job_id",
      "execution_id",
      "position",
      "type",
      "name",
      "sent_by",
      "result"
    )
    select
      "held"."id",
      "held"."current_execution_id",
      ?,
      'await',
      cast(? as text),
      "found"."sent_by",
      "found"."payload"
    from "held"
      cross join "open"
      left outer join "found"
        on true
    where (
      "found"."id" is not null
      or "open"."ends_at" <= clock_timestamp()
    )
    on conflict
    do nothing
    returning "skipjack"."job_steps"."name"
  ),
  "taken" as (
    delete from "skipjack"."job_signals"
    where (
      "skipjack"."job_signals"."id" = any (
        array(
          select "found"."id"
          from "found"
          where "found"."link_id" is null
        )
      )
      and exists (
        select 1 as "one"
        from "memo"
      )
    )
    returning "skipjack"."job_signals"."id"
  ),
  "used" as (
    update "skipjack"."job_signals"
    set
      "taken_by_job" = ?,
      "taken_at" = clock_timestamp()
    where (
      "skipjack"."job_signals"."id" = any (
        array(
          select "found"."id"
          from "found"
          where "found"."link_id" is not null
        )
      )
      and exists (
        select 1 as "one"
        from "memo"
      )
    )
    returning "skipjack"."job_signals"."id"
  ),
  "ended" as (
    delete from "skipjack"."job_waits"
    where (
      "skipjack"."job_waits"."address" = cast(? as text)
      and "skipjack"."job_waits"."name" = cast(? as text)
      and "skipjack"."job_waits"."job_id" = ?
      and exists (
        select 1 as "one"
        from "memo"
      )
    )
    returning "skipjack"."job_waits"."job_id"
  )
select
  "held"."signals",
  cast("found"."payload" as text) as "payload",
  (exists (
    select 1 as "one"
    from "memo"
  )) as "is_done",
  "open"."ends_at"
from "held"
  left outer join "open"
    on true
  left outer join "found"
    on true
