-- What:  completed and cancelled jobs with their payloads, kept for the retention of their queue.
-- Why:   partitioned by the day of the end. The statement that removes a job from jobs also inserts it here (docs/adr/0002).
-- Locks: creates only. Undo: DROP TABLE jobs_archive; DROP DOMAIN job_end_status.

CREATE DOMAIN job_end_status AS text COLLATE "C"
  CONSTRAINT job_end_status_check CHECK (VALUE IN ('completed', 'cancelled'));

COMMENT ON DOMAIN job_end_status IS 'Status of a job that ended.';

CREATE TABLE jobs_archive (
  id                 bigint           NOT NULL,
  finished_at        timestamptz      NOT NULL DEFAULT clock_timestamp(),
  status             job_end_status   NOT NULL,
  queue              job_queue_name   NOT NULL,
  kind               job_kind         NOT NULL,
  payload            jsonb            NOT NULL,
  payload_version    integer          NOT NULL,
  priority           job_priority     NOT NULL,
  scheduled_at       job_scheduled_at NOT NULL,
  created_at         timestamptz      NOT NULL,
  started_at         timestamptz,
  attempts           integer          NOT NULL,
  uncounted_attempts integer          NOT NULL,
  max_attempts       job_max_attempts NOT NULL,
  execution_id       bigint,
  worker_id          text,
  result             jsonb,
  last_error         text,
  unique_label       text,
  ordering_key       job_key,
  group_key          job_group_key,
  tags               text[],
  headers            job_headers,
  owner_id           bigint,
  steps              jsonb,
  CONSTRAINT jobs_archive_pkey PRIMARY KEY (id, finished_at)
) PARTITION BY RANGE (finished_at);

-- Serves the listing of the latest ended jobs. Without it, each page would sort all jobs of the day. New entries are appended: about
-- 80 bytes of WAL per job, 4 % of what a job writes in total.
CREATE INDEX jobs_archive_finished_at_idx ON jobs_archive (finished_at, id);

-- The ended jobs of a batch or of a join. A job without an owner is not in it.
CREATE INDEX jobs_archive_owner_idx ON jobs_archive (owner_id, status, id) WHERE owner_id IS NOT NULL;

COMMENT ON TABLE jobs_archive IS 'Jobs that ended: completed or cancelled.';
COMMENT ON COLUMN jobs_archive.id IS 'The job.';
COMMENT ON COLUMN jobs_archive.finished_at IS 'When the job ended; decides the partition.';
COMMENT ON COLUMN jobs_archive.status IS 'completed or cancelled.';
COMMENT ON COLUMN jobs_archive.queue IS 'Queue it ended in.';
COMMENT ON COLUMN jobs_archive.kind IS 'Stable name of the job''s type.';
COMMENT ON COLUMN jobs_archive.payload IS 'Arguments of the handler as JSON.';
COMMENT ON COLUMN jobs_archive.payload_version IS 'Version of the payload''s shape.';
COMMENT ON COLUMN jobs_archive.priority IS 'Priority it ended with.';
COMMENT ON COLUMN jobs_archive.scheduled_at IS 'When its last attempt became due.';
COMMENT ON COLUMN jobs_archive.created_at IS 'When it was enqueued.';
COMMENT ON COLUMN jobs_archive.started_at IS 'When its last attempt was claimed. NULL if it never started.';
COMMENT ON COLUMN jobs_archive.attempts IS 'Number of executions.';
COMMENT ON COLUMN jobs_archive.uncounted_attempts IS 'Attempts that did not count.';
COMMENT ON COLUMN jobs_archive.max_attempts IS 'Maximum number of used attempts.';
COMMENT ON COLUMN jobs_archive.execution_id IS 'Execution that ended the job. NULL if it was cancelled while it was not running.';
COMMENT ON COLUMN jobs_archive.worker_id IS 'Worker that ran the job last. NULL if it never started.';
COMMENT ON COLUMN jobs_archive.result IS 'Result that the handler returned, if any.';
COMMENT ON COLUMN jobs_archive.last_error IS 'Message of its latest attempt that did not succeed.';
COMMENT ON COLUMN jobs_archive.unique_label IS 'Readable form of its unique key.';
COMMENT ON COLUMN jobs_archive.ordering_key IS 'Its ordering key.';
COMMENT ON COLUMN jobs_archive.group_key IS 'Its group.';
COMMENT ON COLUMN jobs_archive.tags IS 'Its labels.';
COMMENT ON COLUMN jobs_archive.headers IS 'Its headers.';
COMMENT ON COLUMN jobs_archive.owner_id IS 'Batch that it belonged to. Such a job is archived even if its queue keeps no ended jobs, and kept as long as the batch.';
COMMENT ON COLUMN jobs_archive.steps IS 'What its steps recorded: an array of objects with name, type, at and execution, and result, sentBy and undoKind if there are any. NULL: it had no steps.';
COMMENT ON INDEX jobs_archive_finished_at_idx IS 'Serves the listing of ended jobs.';
COMMENT ON INDEX jobs_archive_owner_idx IS 'Serves the ended jobs of a batch or of a join.';
