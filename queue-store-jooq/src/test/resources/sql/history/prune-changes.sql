-- parameters: last, kept
with
  "pruned" as (
    delete from "skipjack"."job_changes"
    where (
      "skipjack"."job_changes"."id" <= ?
      and "skipjack"."job_changes"."changed_at" < now() - cast(? as double precision) * interval '1 microsecond'
    )
    returning "skipjack"."job_changes"."id"
  )
select count(*)
from "pruned"
