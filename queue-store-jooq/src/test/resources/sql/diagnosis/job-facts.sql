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
  "skipjack"."jobs"."scheduled_at",
  "skipjack"."jobs"."started_at",
  "skipjack"."jobs"."died_at",
  cast(null as timestamp with time zone) as "finished_at",
  "skipjack"."jobs"."locked_by",
  "skipjack"."jobs"."last_error",
  "skipjack"."jobs"."lease_expires_at",
  "skipjack"."jobs"."cancel_requested_at",
  "skipjack"."jobs"."freed_unique_key",
  "skipjack"."jobs"."unique_label",
  "skipjack"."jobs"."ordering_key",
  "skipjack"."jobs"."ordering_head",
  coalesce("skipjack"."jobs"."ordering_position", "skipjack"."jobs"."id") as "ordering_position",
  now() as "now"
from "skipjack"."jobs"
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
  "skipjack"."jobs_archive"."scheduled_at",
  "skipjack"."jobs_archive"."started_at",
  cast(null as timestamp with time zone),
  "skipjack"."jobs_archive"."finished_at",
  "skipjack"."jobs_archive"."worker_id",
  "skipjack"."jobs_archive"."last_error",
  cast(null as timestamp with time zone),
  cast(null as timestamp with time zone),
  cast(null as text),
  "skipjack"."jobs_archive"."unique_label",
  "skipjack"."jobs_archive"."ordering_key",
  cast(null as boolean),
  "skipjack"."jobs_archive"."id",
  now() as "now"
from "skipjack"."jobs_archive"
where "skipjack"."jobs_archive"."id" = ?
