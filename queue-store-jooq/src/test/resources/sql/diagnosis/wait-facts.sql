-- parameters: job, name, job, name, job, name
select
  "skipjack"."job_waits"."address",
  "skipjack"."job_waits"."since",
  "skipjack"."job_waits"."ends_at",
  "skipjack"."job_batches"."id",
  "skipjack"."job_batches"."total",
  (
    select count(*)
    from (
      select 1 as "one"
      from "skipjack"."jobs"
      where (
        "skipjack"."jobs"."owner_id" = "skipjack"."job_batches"."id"
        and "skipjack"."jobs"."status" = 'pending'
      )
      fetch next 1001 rows only
    ) as "counted"
  ) as "pending",
  (
    select count(*)
    from (
      select 1 as "one"
      from "skipjack"."jobs"
      where (
        "skipjack"."jobs"."owner_id" = "skipjack"."job_batches"."id"
        and "skipjack"."jobs"."status" = 'running'
      )
      fetch next 1001 rows only
    ) as "counted"
  ) as "running",
  (
    select count(*)
    from (
      select 1 as "one"
      from "skipjack"."jobs"
      where (
        "skipjack"."jobs"."owner_id" = "skipjack"."job_batches"."id"
        and "skipjack"."jobs"."status" = 'waiting'
      )
      fetch next 1001 rows only
    ) as "counted"
  ) as "waiting",
  (
    select count(*)
    from (
      select 1 as "one"
      from "skipjack"."jobs"
      where (
        "skipjack"."jobs"."owner_id" = "skipjack"."job_batches"."id"
        and "skipjack"."jobs"."status" = 'dead'
      )
      fetch next 1001 rows only
    ) as "counted"
  ) as "dead",
  (
    select "skipjack"."job_steps"."at"
    from "skipjack"."job_steps"
    where (
      "skipjack"."job_steps"."job_id" = ?
      and "skipjack"."job_steps"."name" = cast(? as text)
      and "skipjack"."job_steps"."type" = 'sleep'
    )
  ) as "slept_at"
from (
  select 1 as "one"
) as "one"
  left outer join "skipjack"."job_waits"
    on (
      "skipjack"."job_waits"."job_id" = ?
      and "skipjack"."job_waits"."name" = cast(? as text)
    )
  left outer join "skipjack"."job_batches"
    on (
      "skipjack"."job_batches"."owner_id" = ?
      and "skipjack"."job_batches"."succeeded" is null
      and "skipjack"."job_batches"."name" = cast(? as text)
    )
fetch next 1 rows only
