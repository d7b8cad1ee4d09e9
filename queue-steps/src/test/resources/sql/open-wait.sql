-- parameters: address, name, micros, job_id, execution_id
insert into "skipjack"."job_waits" ("job_id", "address", "name", "ends_at")
select
  "skipjack"."jobs"."id",
  cast(? as text),
  cast(? as text),
  clock_timestamp() + cast(? as double precision) * interval '1 microsecond'
from "skipjack"."jobs"
where (
  "skipjack"."jobs"."id" = ?
  and "skipjack"."jobs"."current_execution_id" = ?
)
on conflict ("address", "name", "job_id")
do update
set
  "name" = excluded."name"
returning "skipjack"."job_waits"."job_id"
