-- parameters: kept
with
  "pruned" as (
    delete from "skipjack"."job_minutes"
    where "skipjack"."job_minutes"."minute" < now() - cast(? as double precision) * interval '1 microsecond'
    returning "skipjack"."job_minutes"."minute"
  )
select count(*)
from "pruned"
