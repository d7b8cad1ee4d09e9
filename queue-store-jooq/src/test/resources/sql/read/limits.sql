-- parameters: 
select
  "skipjack"."job_limits"."name",
  "skipjack"."job_limits"."max_running",
  "skipjack"."job_limits"."max_running_per_group",
  "skipjack"."job_limits"."rate_kind",
  "skipjack"."job_limits"."rate_count",
  cast(ceil(extract(epoch from "skipjack"."job_limits"."rate_period") * 1000000) as bigint) as "rate_period_us",
  "skipjack"."job_limits"."rate_burst",
  "skipjack"."job_limits"."rate_per_group",
  "skipjack"."job_limits"."updated_at",
  array(
    select cast("skipjack"."job_queues"."queue" as text)
    from "skipjack"."job_queues"
    where "skipjack"."job_queues"."limit_name" = "skipjack"."job_limits"."name"
    order by "skipjack"."job_queues"."queue"
  ) as "queues",
  (
    select count(*)
    from (
      select 1 as "one"
      from "skipjack"."jobs"
      where (
        "skipjack"."jobs"."status" = 'running'
        and "skipjack"."jobs"."limit_name" = "skipjack"."job_limits"."name"
      )
      fetch next 10000 rows only
    ) as "used"
  ) as "running"
from "skipjack"."job_limits"
order by "skipjack"."job_limits"."name"
fetch next 1000 rows only
