-- parameters: 
select
  "skipjack"."job_queues"."queue",
  timezone(
    'UTC',
    timezone(
      'UTC',
      clock_timestamp()
    ) - least("skipjack"."job_queues"."archive_retention", cast(interval '1000 years 0 mons 0 days 0 hours 0 mins 0.0 secs' as interval))
  ) as "cutoff"
from "skipjack"."job_queues"
where "skipjack"."job_queues"."archive_retention" is not null
