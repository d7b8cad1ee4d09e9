-- parameters: name
select
  "skipjack"."job_schedules"."name",
  "skipjack"."job_schedules"."due_at",
  "skipjack"."job_schedules"."next_at",
  "skipjack"."job_schedules"."last_at",
  "skipjack"."job_schedules"."last_job_id",
  "skipjack"."job_schedules"."requested_at",
  "skipjack"."job_schedules"."paused_at",
  "skipjack"."job_schedules"."missed_until",
  left("skipjack"."job_schedules"."cron", 4001) as "cron",
  "skipjack"."job_schedules"."interval_seconds",
  "skipjack"."job_schedules"."aligned",
  left("skipjack"."job_schedules"."zone", 4001) as "zone",
  case when "skipjack"."job_schedules"."except_dates" = '{}' then '{}' when cardinality("skipjack"."job_schedules"."except_dates") > 10000 then array['more than 10,000 dates'] else array(select to_char(each, 'YYYY-MM-DD') from unnest("skipjack"."job_schedules"."except_dates") as dates(each)) end,
  left("skipjack"."job_schedules"."zone_rules", 4001) as "zone_rules",
  "skipjack"."job_schedules"."missed",
  "skipjack"."job_schedules"."missed_maximum",
  "skipjack"."job_schedules"."overlap",
  "skipjack"."job_schedules"."jitter_ms",
  "skipjack"."job_schedules"."queue",
  "skipjack"."job_schedules"."kind",
  cast(null as jsonb) as "payload",
  "skipjack"."job_schedules"."payload_version",
  "skipjack"."job_schedules"."priority",
  "skipjack"."job_schedules"."max_attempts",
  "skipjack"."job_schedules"."tags",
  left("skipjack"."job_schedules"."description", 4001) as "description",
  "skipjack"."job_schedules"."in_code",
  "skipjack"."job_schedules"."origin",
  "skipjack"."job_schedules"."authoritative",
  left("skipjack"."job_schedules"."declaration", 4001) as "declaration",
  "skipjack"."job_schedules"."declared_at",
  "skipjack"."job_schedules"."timing_changed_at",
  "skipjack"."job_schedules"."failures",
  "skipjack"."job_schedules"."failed_at",
  left("skipjack"."job_schedules"."last_error", 4001) as "last_error",
  "skipjack"."job_schedules"."created_at",
  "skipjack"."job_schedules"."updated_at",
  clock_timestamp() as "read_at",
  coalesce(
    (
      select cast("skipjack"."jobs"."status" as text)
      from "skipjack"."jobs"
      where "skipjack"."jobs"."id" = "skipjack"."job_schedules"."last_job_id"
    ),
    (
      select cast("skipjack"."jobs_archive"."status" as text)
      from "skipjack"."jobs_archive"
      where "skipjack"."jobs_archive"."id" = "skipjack"."job_schedules"."last_job_id"
    )
  ) as "last_status"
from "skipjack"."job_schedules"
where "skipjack"."job_schedules"."name" = cast(? as text)
order by "skipjack"."job_schedules"."name"
