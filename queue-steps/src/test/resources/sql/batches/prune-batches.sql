-- parameters: age
with
  "old" as materialized (
    select "skipjack"."job_batches"."id"
    from "skipjack"."job_batches"
    where (
      "skipjack"."job_batches"."finished_at" is not null
      and "skipjack"."job_batches"."finished_at" < statement_timestamp() - cast(? as double precision) * interval '1 microsecond'
      and not exists (
        select 1 as "one"
        from "skipjack"."jobs"
        where "skipjack"."jobs"."id" = "skipjack"."job_batches"."owner_id"
      )
    )
    order by "skipjack"."job_batches"."finished_at"
    fetch next 1000 rows only
    for update skip locked
  ),
  "pruned" as (
    delete from "skipjack"."job_batches"
    where "skipjack"."job_batches"."id" = any (
      array(
        select "old"."id"
        from "old"
      )
    )
    returning "skipjack"."job_batches"."id"
  )
select count(*)
from "pruned"
