-- parameters: batch, kept
select max("first"."id")
from (
  select "skipjack"."job_changes"."id", "skipjack"."job_changes"."changed_at"
  from "skipjack"."job_changes"
  order by "skipjack"."job_changes"."id"
  fetch next ? rows only
) as "first"
where "first"."changed_at" < now() - cast(? as double precision) * interval '1 microsecond'
