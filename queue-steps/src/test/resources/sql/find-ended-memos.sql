-- parameters: after
select
  count(*) as "rows",
  max("walked"."job_id") as "last",
  cast(
    array_agg(distinct "walked"."job_id") filter (where (
      not exists (
        select 1 as "one"
        from "skipjack"."jobs"
        where "skipjack"."jobs"."id" = "walked"."job_id"
      )
      or (
        exists (
          select 1 as "one"
          from "skipjack"."jobs"
          where (
            "skipjack"."jobs"."id" = "walked"."job_id"
            and "skipjack"."jobs"."died_at" is not null
          )
        )
        and exists (
          select 1 as "one"
          from "skipjack"."job_steps"
          where (
            "skipjack"."job_steps"."job_id" = "walked"."job_id"
            and "skipjack"."job_steps"."undo_kind" is not null
            and "skipjack"."job_steps"."type" = 'run'
          )
        )
      )
    ))
    as text[]
  ) as "ended"
from (
  select "skipjack"."job_steps"."job_id" as "job_id"
  from "skipjack"."job_steps"
  where "skipjack"."job_steps"."job_id" > ?
  order by "skipjack"."job_steps"."job_id"
  fetch next 1000 rows only
) as "walked"
