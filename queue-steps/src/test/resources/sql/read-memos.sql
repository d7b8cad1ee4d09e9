-- parameters: job_id, job_id
select
  "recorded"."name",
  "recorded"."type",
  "recorded"."position",
  "recorded"."result",
  "recorded"."execution_id",
  "recorded"."ends_at",
  clock_timestamp() as "read_at"
from (
  select
    "skipjack"."job_steps"."name",
    "skipjack"."job_steps"."type",
    "skipjack"."job_steps"."position",
    cast("skipjack"."job_steps"."result" as text) as "result",
    "skipjack"."job_steps"."execution_id",
    cast(null as timestamp with time zone) as "ends_at"
  from "skipjack"."job_steps"
  where "skipjack"."job_steps"."job_id" = ?
  union all
  select
    "skipjack"."job_waits"."name",
    'await',
    0,
    cast(null as text),
    0,
    "skipjack"."job_waits"."ends_at"
  from "skipjack"."job_waits"
  where "skipjack"."job_waits"."job_id" = ?
) as "recorded"
