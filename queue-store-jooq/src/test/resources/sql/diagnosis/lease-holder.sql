-- parameters: worker
select
  "skipjack"."job_workers"."host",
  "skipjack"."job_workers"."pid",
  "skipjack"."job_workers"."seen_at",
  ("skipjack"."job_workers"."settings"->>'lease') as "lease"
from "skipjack"."job_workers"
where (("skipjack"."job_workers"."name" || '/') || left(
  cast("skipjack"."job_workers"."boot_id" as text),
  8
)) = cast(? as text)
order by "skipjack"."job_workers"."seen_at" desc
fetch next 1 rows only
