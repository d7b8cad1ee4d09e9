-- parameters: queue, kind, queue
select
  (("skipjack"."job_workers"."name" || '/') || left(
    cast("skipjack"."job_workers"."boot_id" as text),
    8
  )) as "identity",
  "skipjack"."job_workers"."queues",
  "skipjack"."job_workers"."kinds",
  (cast(? as text) = any (
    "skipjack"."job_workers"."queues"
  )) as "serves",
  (cast(? as text) = any (
    "skipjack"."job_workers"."kinds"
  )) as "knows",
  (("skipjack"."job_workers"."settings"->'concurrency')->>cast(? as text)) as "slots"
from "skipjack"."job_workers"
where "skipjack"."job_workers"."seen_at" between now() - cast(180000000 as double precision) * interval '1 microsecond' and now() + cast(180000000 as double precision) * interval '1 microsecond'
order by "skipjack"."job_workers"."seen_at" desc
fetch next 1000 rows only
