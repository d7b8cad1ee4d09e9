-- What:  the audit: one row for each attempt, inserted by the statement that starts the attempt and updated by the one that ends it; and
--        where the attempts are that have run for long.
-- Why:   partitioned by the week of the start, so that old history is dropped and not deleted row by row. A foreign key
--        to jobs would slow down every claim and prevent jobs from moving to the archive (docs/adr/0002). Stacks have a table, because
--        a column of jobs would be copied by each later update of the row, and one of the audit by the update that ends the attempt.
-- Locks: creates only. Undo: DROP TABLE job_executions, job_stacks; DROP DOMAIN job_execution_status.

CREATE DOMAIN job_execution_status AS text COLLATE "C"
  CONSTRAINT job_execution_status_check CHECK (VALUE IN ('running', 'succeeded', 'failed', 'dead', 'lost', 'cancelled', 'released', 'snoozed'));

COMMENT ON DOMAIN job_execution_status IS 'Status of an attempt.';

CREATE TABLE job_executions (
  id            bigint               NOT NULL,
  job_id        bigint               NOT NULL,
  started_at    timestamptz          NOT NULL,
  finished_at   timestamptz,
  attempt       integer              NOT NULL,
  status        job_execution_status NOT NULL DEFAULT 'running',
  queue         job_queue_name       NOT NULL,
  kind          job_kind             NOT NULL,
  worker_id     text,
  group_key     job_group_key,
  error_class   text,
  error_message text,
  error_stack   text,
  CONSTRAINT job_executions_pkey         PRIMARY KEY (id, started_at),
  CONSTRAINT job_executions_closed_check CHECK ((status = 'running') = (finished_at IS NULL))
) PARTITION BY RANGE (started_at);

CREATE INDEX job_executions_job_idx ON job_executions (job_id);

COMMENT ON TABLE job_executions IS 'The audit: one row for each attempt of each job.';
COMMENT ON COLUMN job_executions.id IS 'The execution; equals jobs.current_execution_id while the attempt runs.';
COMMENT ON COLUMN job_executions.job_id IS 'The job. Not a foreign key: jobs leave their table when they end.';
COMMENT ON COLUMN job_executions.started_at IS 'When the attempt was claimed; decides the partition.';
COMMENT ON COLUMN job_executions.finished_at IS 'When the attempt ended. NULL while it runs.';
COMMENT ON COLUMN job_executions.attempt IS 'Number of the attempt among those of its job, from 1.';
COMMENT ON COLUMN job_executions.status IS 'running, or how the attempt ended: succeeded, failed (to be retried), dead, lost (lease expired), cancelled, released (shutdown), snoozed.';
COMMENT ON COLUMN job_executions.queue IS 'Queue of the job at the time of the attempt.';
COMMENT ON COLUMN job_executions.kind IS 'Kind of the job.';
COMMENT ON COLUMN job_executions.worker_id IS 'Worker that ran the attempt.';
COMMENT ON COLUMN job_executions.group_key IS 'Group of the job, if it was claimed from a fair or limited queue.';
COMMENT ON COLUMN job_executions.error_class IS 'Class of the exception that ended the attempt, if any.';
COMMENT ON COLUMN job_executions.error_message IS 'Why the attempt did not succeed; sanitised and truncated.';
COMMENT ON COLUMN job_executions.error_stack IS 'Stack trace of the exception, if any; sanitised and truncated.';
COMMENT ON INDEX job_executions_job_idx IS 'Serves the history of one job.';

CREATE TABLE job_stacks (
  execution_id bigint      NOT NULL,
  job_id       bigint      NOT NULL,
  sampled_at   timestamptz NOT NULL,
  stack        text,
  problem      text,
  CONSTRAINT job_stacks_pkey PRIMARY KEY (execution_id)
);

COMMENT ON TABLE job_stacks IS 'Where the handlers are whose attempt has run for longer than a minute. Its worker samples them and removes the row after the attempt; maintenance removes rows that a worker left.';
COMMENT ON COLUMN job_stacks.execution_id IS 'The execution. The row counts only while it equals jobs.current_execution_id.';
COMMENT ON COLUMN job_stacks.job_id IS 'The job.';
COMMENT ON COLUMN job_stacks.sampled_at IS 'When the handler was first seen there. The row is not written again while the stack does not change.';
COMMENT ON COLUMN job_stacks.stack IS 'Frames of the handler''s thread, innermost first; sanitised, redacted and truncated. NULL: see problem.';
COMMENT ON COLUMN job_stacks.problem IS 'Why there is no stack. NULL: there is one.';
