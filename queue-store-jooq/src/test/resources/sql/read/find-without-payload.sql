-- parameters: id, id
select
  "skipjack"."jobs"."id",
  "skipjack"."jobs"."status",
  "skipjack"."jobs"."queue",
  "skipjack"."jobs"."kind",
  "skipjack"."jobs"."group_key",
  "skipjack"."jobs"."priority",
  "skipjack"."jobs"."attempts",
  "skipjack"."jobs"."uncounted_attempts",
  "skipjack"."jobs"."max_attempts",
  "skipjack"."jobs"."created_at",
  "skipjack"."jobs"."scheduled_at",
  "skipjack"."jobs"."started_at",
  "skipjack"."jobs"."died_at",
  cast(null as timestamp with time zone) as "finished_at",
  "skipjack"."jobs"."locked_by",
  "skipjack"."jobs"."last_error",
  "skipjack"."jobs"."tags",
  cast(null as jsonb),
  "skipjack"."jobs"."payload_version",
  "skipjack"."jobs"."current_execution_id",
  "skipjack"."jobs"."lease_expires_at",
  "skipjack"."jobs"."cancel_requested_at",
  "skipjack"."jobs"."unique_label",
  "skipjack"."jobs"."ordering_key",
  cast(null as jsonb),
  cast(null as jsonb),
  cast(null as jsonb) as "headers",
  "skipjack"."job_stacks"."sampled_at",
  "skipjack"."job_stacks"."stack",
  "skipjack"."job_stacks"."problem"
from "skipjack"."jobs"
  left outer join "skipjack"."job_stacks"
    on (
      "skipjack"."job_stacks"."execution_id" = "skipjack"."jobs"."current_execution_id"
      and "skipjack"."job_stacks"."job_id" = "skipjack"."jobs"."id"
    )
where "skipjack"."jobs"."id" = ?
union all
select
  "skipjack"."jobs_archive"."id",
  "skipjack"."jobs_archive"."status",
  "skipjack"."jobs_archive"."queue",
  "skipjack"."jobs_archive"."kind",
  "skipjack"."jobs_archive"."group_key",
  "skipjack"."jobs_archive"."priority",
  "skipjack"."jobs_archive"."attempts",
  "skipjack"."jobs_archive"."uncounted_attempts",
  "skipjack"."jobs_archive"."max_attempts",
  "skipjack"."jobs_archive"."created_at",
  "skipjack"."jobs_archive"."scheduled_at",
  "skipjack"."jobs_archive"."started_at",
  cast(null as timestamp with time zone) as "died_at",
  "skipjack"."jobs_archive"."finished_at",
  "skipjack"."jobs_archive"."worker_id",
  "skipjack"."jobs_archive"."last_error",
  "skipjack"."jobs_archive"."tags",
  cast(null as jsonb),
  "skipjack"."jobs_archive"."payload_version",
  "skipjack"."jobs_archive"."execution_id",
  cast(null as timestamp with time zone),
  cast(null as timestamp with time zone),
  "skipjack"."jobs_archive"."unique_label",
  "skipjack"."jobs_archive"."ordering_key",
  cast(null as jsonb),
  cast(null as jsonb),
  cast(null as jsonb),
  cast(null as timestamp with time zone),
  cast(null as text),
  cast(null as text)
from "skipjack"."jobs_archive"
where "skipjack"."jobs_archive"."id" = ?
