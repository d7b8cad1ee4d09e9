-- parameters: 
select
  count(*) as "jobs",
  min("dead"."died_at") as "first",
  max("dead"."died_at") as "last",
  now() as "now"
from (
  select "skipjack"."jobs"."died_at"
  from "skipjack"."jobs"
  where "skipjack"."jobs"."status" = 'dead'
  order by "skipjack"."jobs"."queue", "skipjack"."jobs"."kind", "skipjack"."jobs"."id"
  fetch next 10001 rows only
) as "dead"
