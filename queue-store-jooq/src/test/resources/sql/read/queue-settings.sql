-- parameters: 
select
  "skipjack"."job_queues"."queue",
  case
    when (
      "skipjack"."job_queues"."paused_at" is not null
      and (
        "skipjack"."job_queues"."paused_until" is null
        or "skipjack"."job_queues"."paused_until" > now()
      )
    ) then "skipjack"."job_queues"."paused_at"
  end,
  case
    when (
      "skipjack"."job_queues"."paused_at" is not null
      and (
        "skipjack"."job_queues"."paused_until" is null
        or "skipjack"."job_queues"."paused_until" > now()
      )
    ) then "skipjack"."job_queues"."paused_until"
  end,
  case
    when (
      "skipjack"."job_queues"."paused_at" is not null
      and (
        "skipjack"."job_queues"."paused_until" is null
        or "skipjack"."job_queues"."paused_until" > now()
      )
    ) then "skipjack"."job_queues"."paused_by"
  end,
  case
    when (
      "skipjack"."job_queues"."paused_at" is not null
      and (
        "skipjack"."job_queues"."paused_until" is null
        or "skipjack"."job_queues"."paused_until" > now()
      )
    ) then "skipjack"."job_queues"."pause_reason"
  end,
  "skipjack"."job_queues"."limit_name",
  "skipjack"."job_queues"."fair",
  ceil(extract(epoch from "skipjack"."job_queues"."archive_retention"))::bigint,
  ceil(extract(epoch from "skipjack"."job_queues"."dead_retention"))::bigint,
  "skipjack"."job_queues"."default_priority",
  "skipjack"."job_queues"."default_max_attempts",
  "skipjack"."job_queues"."updated_at"
from "skipjack"."job_queues"
order by "skipjack"."job_queues"."queue"
