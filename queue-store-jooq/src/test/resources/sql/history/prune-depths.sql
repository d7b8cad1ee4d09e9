-- parameters: kept
with
  "pruned" as (
    delete from "skipjack"."job_depths"
    where "skipjack"."job_depths"."minute" < now() - cast(? as double precision) * interval '1 microsecond'
    returning "skipjack"."job_depths"."minute"
  )
select count(*)
from "pruned"
