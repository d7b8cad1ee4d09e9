-- parameters: 
select
  "seen"."name",
  "seen"."boot_id",
  "seen"."host",
  "seen"."pid",
  "seen"."queues",
  "seen"."kinds",
  "seen"."settings",
  "seen"."started_at",
  "seen"."seen_at",
  "seen"."now"
from (
  select
    "skipjack"."job_workers"."name",
    "skipjack"."job_workers"."boot_id",
    "skipjack"."job_workers"."host",
    "skipjack"."job_workers"."pid",
    "skipjack"."job_workers"."queues",
    "skipjack"."job_workers"."kinds",
    "skipjack"."job_workers"."settings",
    "skipjack"."job_workers"."started_at",
    "skipjack"."job_workers"."seen_at",
    now() as "now"
  from "skipjack"."job_workers"
  order by "skipjack"."job_workers"."seen_at" desc
  fetch next 1000 rows only
) as "seen"
order by "seen"."name", "seen"."started_at", "seen"."boot_id"
