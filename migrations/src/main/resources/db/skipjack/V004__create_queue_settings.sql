-- What:  the small tables around the jobs: keys that outlive them, queue settings, schedules, worker display.
-- Why:   nothing on the hot path updates a shared row, so each of these is read often and written seldom.
-- Locks: creates only. Undo: DROP TABLE job_keys, job_queues, job_schedules, job_workers.

CREATE TABLE job_keys (
  key        job_key     NOT NULL,
  job_id     bigint      NOT NULL,
  expires_at timestamptz NOT NULL,
  CONSTRAINT job_keys_pkey PRIMARY KEY (key)
);
CREATE INDEX job_keys_expires_at_idx ON job_keys (expires_at);

COMMENT ON TABLE job_keys IS 'Keys that must outlive their job: unique per period, idempotency.';
COMMENT ON COLUMN job_keys.key IS 'Scope and key; readable when short, hashed when long.';
COMMENT ON COLUMN job_keys.job_id IS 'The job that took the key.';
COMMENT ON COLUMN job_keys.expires_at IS 'When the key is free again.';
COMMENT ON INDEX job_keys_expires_at_idx IS 'Serves the pruning of expired keys.';

CREATE TABLE job_queues (
  queue                job_queue_name   NOT NULL,
  paused_at            timestamptz,
  paused_until         timestamptz,
  max_running          integer,
  archive_retention    interval,
  dead_retention       interval,
  default_priority     job_priority,
  default_max_attempts job_max_attempts,
  created_at           timestamptz      NOT NULL DEFAULT clock_timestamp(),
  updated_at           timestamptz      NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT job_queues_pkey               PRIMARY KEY (queue),
  CONSTRAINT job_queues_paused_until_check CHECK (paused_until > paused_at),
  CONSTRAINT job_queues_max_running_check  CHECK (max_running >= 0),
  CONSTRAINT job_queues_retention_check    CHECK (archive_retention >= interval '0' AND dead_retention >= interval '0')
);

COMMENT ON TABLE job_queues IS 'Settings of queues that operators change at run time. A queue without a row has the defaults.';
COMMENT ON COLUMN job_queues.queue IS 'The queue.';
COMMENT ON COLUMN job_queues.paused_at IS 'Since when nothing is claimed from it. NULL: not paused.';
COMMENT ON COLUMN job_queues.paused_until IS 'When the pause ends by itself. NULL: when an operator resumes the queue. Without paused_at it means nothing.';
COMMENT ON COLUMN job_queues.max_running IS 'Most jobs of the queue that may run at once over all workers. NULL: no limit.';
COMMENT ON COLUMN job_queues.archive_retention IS 'How long ended jobs stay in the archive. Zero: they are not archived. NULL: the default.';
COMMENT ON COLUMN job_queues.dead_retention IS 'How long dead jobs are kept. NULL: until an operator prunes them.';
COMMENT ON COLUMN job_queues.default_priority IS 'Priority of jobs enqueued without one.';
COMMENT ON COLUMN job_queues.default_max_attempts IS 'Attempts of jobs enqueued without a limit.';
COMMENT ON COLUMN job_queues.created_at IS 'When the row was written.';
COMMENT ON COLUMN job_queues.updated_at IS 'When a setting last changed.';

CREATE TABLE job_schedules (
  name         text             NOT NULL COLLATE "C",
  cron         text             NOT NULL,
  zone         text             NOT NULL,
  catch_up     text             NOT NULL DEFAULT 'once' COLLATE "C",
  queue        job_queue_name   NOT NULL,
  kind         job_kind         NOT NULL,
  payload      jsonb            NOT NULL,
  priority     job_priority     NOT NULL DEFAULT 0,
  max_attempts job_max_attempts NOT NULL DEFAULT 25,
  next_at      timestamptz,
  last_at      timestamptz,
  paused_at    timestamptz,
  created_at   timestamptz      NOT NULL DEFAULT clock_timestamp(),
  updated_at   timestamptz      NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT job_schedules_pkey           PRIMARY KEY (name),
  CONSTRAINT job_schedules_catch_up_check CHECK (catch_up IN ('skip', 'once', 'all'))
);

COMMENT ON TABLE job_schedules IS 'Jobs that are enqueued again and again.';
COMMENT ON COLUMN job_schedules.name IS 'Name of the schedule.';
COMMENT ON COLUMN job_schedules.cron IS 'When it fires, as a cron expression.';
COMMENT ON COLUMN job_schedules.zone IS 'Time zone of the expression, an IANA name.';
COMMENT ON COLUMN job_schedules.catch_up IS 'What happens to firings missed while no worker ran: skip, once or all.';
COMMENT ON COLUMN job_schedules.queue IS 'Queue of its jobs.';
COMMENT ON COLUMN job_schedules.kind IS 'Kind of its jobs.';
COMMENT ON COLUMN job_schedules.payload IS 'Payload of its jobs.';
COMMENT ON COLUMN job_schedules.priority IS 'Priority of its jobs.';
COMMENT ON COLUMN job_schedules.max_attempts IS 'Attempts of its jobs.';
COMMENT ON COLUMN job_schedules.next_at IS 'Instant of the next fire.';
COMMENT ON COLUMN job_schedules.last_at IS 'Instant of the last fire.';
COMMENT ON COLUMN job_schedules.paused_at IS 'Since when it does not fire. NULL: not paused.';
COMMENT ON COLUMN job_schedules.created_at IS 'When it was registered.';
COMMENT ON COLUMN job_schedules.updated_at IS 'When it last changed.';

CREATE TABLE job_workers (
  name       text        NOT NULL,
  boot_id    uuid        NOT NULL,
  host       text,
  pid        bigint,
  queues     text[]      NOT NULL,
  kinds      text[]      NOT NULL,
  settings   jsonb,
  started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  seen_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT job_workers_pkey PRIMARY KEY (boot_id)
);

COMMENT ON TABLE job_workers IS 'Workers as they introduced themselves. For display; recovery never reads it.';
COMMENT ON COLUMN job_workers.name IS 'Configured name; may repeat.';
COMMENT ON COLUMN job_workers.boot_id IS 'New at each start of a worker.';
COMMENT ON COLUMN job_workers.host IS 'Host it runs on.';
COMMENT ON COLUMN job_workers.pid IS 'Process id on that host.';
COMMENT ON COLUMN job_workers.queues IS 'Queues it serves.';
COMMENT ON COLUMN job_workers.kinds IS 'Kinds it has handlers for.';
COMMENT ON COLUMN job_workers.settings IS 'Its settings in force.';
COMMENT ON COLUMN job_workers.started_at IS 'When it started.';
COMMENT ON COLUMN job_workers.seen_at IS 'When it was last alive.';
