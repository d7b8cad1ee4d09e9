-- What:  the small tables around the jobs: keys that outlive them, limits, queue settings, groups, schedules, workers, bulk operations,
--        single changes, numbers for charts.
-- Why:   enqueuing and running jobs updates no row that all jobs of a queue share.
-- Locks: creates only. Undo: DROP TABLE job_keys, job_rate_uses, job_groups, job_queues, job_limits, job_schedules, job_workers, job_operations,
--        job_changes, job_minutes, job_depths; DROP DOMAIN each of those below.

CREATE TABLE job_keys (
  key        job_key     NOT NULL,
  job_id     bigint      NOT NULL,
  expires_at timestamptz NOT NULL,
  CONSTRAINT job_keys_pkey PRIMARY KEY (key)
);
CREATE INDEX job_keys_expires_at_idx ON job_keys (expires_at);

COMMENT ON TABLE job_keys IS 'Keys that must outlive their job: unique per period, idempotency.';
COMMENT ON COLUMN job_keys.key IS 'Scope and key; readable if short, hashed if long.';
COMMENT ON COLUMN job_keys.job_id IS 'The job that took the key. There is no such job if a schedule took the key but its overlap rule enqueued nothing.';
COMMENT ON COLUMN job_keys.expires_at IS 'When the key is free again.';
COMMENT ON INDEX job_keys_expires_at_idx IS 'Serves the pruning of expired keys.';

CREATE DOMAIN job_rate_kind AS text COLLATE "C"
  CONSTRAINT job_rate_kind_check CHECK (VALUE IN ('bucket', 'sliding', 'fixed'));

COMMENT ON DOMAIN job_rate_kind IS 'How a rate counts starts: a token bucket, a sliding window or a fixed window.';

CREATE TABLE job_limits (
  name                  job_limit_name NOT NULL,
  max_running           integer,
  max_running_per_group integer,
  rate_count            integer,
  rate_period           interval,
  rate_burst            integer,
  rate_kind             job_rate_kind  NOT NULL DEFAULT 'bucket',
  rate_per_group        boolean        NOT NULL DEFAULT false,
  locked_at             timestamptz,
  created_at            timestamptz    NOT NULL DEFAULT clock_timestamp(),
  updated_at            timestamptz    NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT job_limits_pkey              PRIMARY KEY (name),
  CONSTRAINT job_limits_max_running_check CHECK (max_running >= 0 AND max_running_per_group >= 0),
  CONSTRAINT job_limits_rate_check        CHECK ((rate_count IS NULL) = (rate_period IS NULL)
    AND rate_count BETWEEN 1 AND 1000000 AND extract(epoch FROM rate_period) BETWEEN 0.001 AND 31622400
    AND extract(month FROM rate_period) = 0 AND extract(year FROM rate_period) = 0),
  CONSTRAINT job_limits_burst_check       CHECK (rate_burst IS NULL OR rate_burst BETWEEN 1 AND 1000000 AND rate_kind = 'bucket' AND rate_count IS NOT NULL
    AND rate_burst * extract(epoch FROM rate_period) / rate_count <= 3153600000)
);

COMMENT ON TABLE job_limits IS 'Limits of running jobs and of starts over all workers. A limit binds the queues that name it. Operators change it at run time.';
COMMENT ON COLUMN job_limits.name IS 'Name of the limit.';
COMMENT ON COLUMN job_limits.max_running IS 'Maximum number of jobs of the limit that run at once. 0: none starts. NULL: no maximum.';
COMMENT ON COLUMN job_limits.max_running_per_group IS 'Maximum number of jobs of each group that run at once under the limit. NULL: no maximum.';
COMMENT ON COLUMN job_limits.rate_count IS 'Number of starts that the rate allows in a period. NULL: no rate.';
COMMENT ON COLUMN job_limits.rate_period IS 'Period of the rate, at most 366 days, without months and years. NULL: no rate.';
COMMENT ON COLUMN job_limits.rate_burst IS 'Number of starts that a full token bucket allows at once. An empty bucket is full after 36500 days at most. NULL: rate_count.';
COMMENT ON COLUMN job_limits.rate_kind IS 'bucket: rate_count a period on average, at most rate_burst at once. sliding: at most rate_count in any period. fixed: at most rate_count in each period, counted from 2000-01-01 00:00 UTC.';
COMMENT ON COLUMN job_limits.rate_per_group IS 'Whether each group has the rate for itself.';
COMMENT ON COLUMN job_limits.locked_at IS 'Never written. Workers may update this column only, so they can lock the row but cannot raise a limit.';
COMMENT ON COLUMN job_limits.created_at IS 'When the limit was written.';
COMMENT ON COLUMN job_limits.updated_at IS 'When a number of the limit last changed.';

CREATE TABLE job_queues (
  queue                job_queue_name   NOT NULL,
  paused_at            timestamptz,
  paused_until         timestamptz,
  paused_by            text,
  pause_reason         text,
  limit_name           job_limit_name,
  fair                 boolean          NOT NULL DEFAULT false,
  archive_retention    interval,
  dead_retention       interval,
  default_priority     job_priority,
  default_max_attempts job_max_attempts,
  ordering_policy      job_ordering_policy,
  configured_at        timestamptz,
  created_at           timestamptz      NOT NULL DEFAULT clock_timestamp(),
  updated_at           timestamptz      NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT job_queues_pkey               PRIMARY KEY (queue),
  CONSTRAINT job_queues_limit_name_fkey    FOREIGN KEY (limit_name) REFERENCES job_limits (name),
  CONSTRAINT job_queues_paused_until_check CHECK (paused_until > paused_at),
  CONSTRAINT job_queues_retention_check    CHECK (archive_retention BETWEEN interval '0' AND interval '36500 days'
                                                      AND dead_retention BETWEEN interval '0' AND interval '36500 days')
);

COMMENT ON TABLE job_queues IS 'Settings of queues that operators change at run time. A queue without a row has the defaults.';
COMMENT ON COLUMN job_queues.queue IS 'The queue.';
COMMENT ON COLUMN job_queues.paused_at IS 'When the queue was paused. NULL: not paused.';
COMMENT ON COLUMN job_queues.paused_until IS 'When the pause ends by itself. NULL: when an operator resumes the queue. Meaningless if paused_at is NULL.';
COMMENT ON COLUMN job_queues.paused_by IS 'Who paused the queue, as the tool named them. NULL: not recorded. Meaningless if paused_at is NULL.';
COMMENT ON COLUMN job_queues.pause_reason IS 'Why the queue is paused. NULL: not recorded. Meaningless if paused_at is NULL.';
COMMENT ON COLUMN job_queues.limit_name IS 'Limit that binds the jobs of the queue. Several queues may name one limit. NULL: none.';
COMMENT ON COLUMN job_queues.fair IS 'Whether the groups of the queue''s jobs are served in turn, by weight, inside a priority.';
COMMENT ON COLUMN job_queues.archive_retention IS 'How long ended jobs stay in the archive. Zero: they are not archived. NULL: the default.';
COMMENT ON COLUMN job_queues.dead_retention IS 'How long dead jobs are kept. NULL: until an operator prunes them.';
COMMENT ON COLUMN job_queues.default_priority IS 'Priority of jobs enqueued without one. NULL: 0.';
COMMENT ON COLUMN job_queues.default_max_attempts IS 'Maximum number of used attempts of jobs enqueued without one. NULL: 25.';
COMMENT ON COLUMN job_queues.ordering_policy IS 'Policy for the jobs behind a dead job of an ordering key: block, skip or park. NULL: the policy of the dead job.';
COMMENT ON COLUMN job_queues.configured_at IS 'When configure or a declaration last set all settings. NULL: never. A declaration then sets them if they are all NULL and fair is false.';
COMMENT ON COLUMN job_queues.created_at IS 'When the row was written.';
COMMENT ON COLUMN job_queues.updated_at IS 'When a setting last changed.';

CREATE TABLE job_groups (
  queue       job_queue_name NOT NULL,
  group_key   job_group_key  NOT NULL,
  weight      integer        NOT NULL DEFAULT 1,
  max_running integer,
  paused_at   timestamptz,
  created_at  timestamptz    NOT NULL DEFAULT clock_timestamp(),
  updated_at  timestamptz    NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT job_groups_pkey              PRIMARY KEY (queue, group_key),
  CONSTRAINT job_groups_weight_check      CHECK (weight BETWEEN 1 AND 100),
  CONSTRAINT job_groups_max_running_check CHECK (max_running >= 0)
);

COMMENT ON TABLE job_groups IS 'Settings of groups that operators treat differently. A group without a row has the defaults.';
COMMENT ON COLUMN job_groups.queue IS 'The fair or limited queue.';
COMMENT ON COLUMN job_groups.group_key IS 'The group.';
COMMENT ON COLUMN job_groups.weight IS 'Share of the group in its queue: a group of weight 3 starts three jobs where one of weight 1 starts one.';
COMMENT ON COLUMN job_groups.max_running IS 'Maximum number of jobs of the group that run at once under the limit of the queue, instead of its max_running_per_group. NULL: that number.';
COMMENT ON COLUMN job_groups.paused_at IS 'When the group was paused. NULL: not paused.';
COMMENT ON COLUMN job_groups.created_at IS 'When the row was written.';
COMMENT ON COLUMN job_groups.updated_at IS 'When a setting last changed.';

-- Starts in the past are all that a rate must remember. Rows are inserted under the lock of their limit or group, so ids rise with time.
CREATE TABLE job_rate_uses (
  limit_name job_limit_name NOT NULL,
  group_key  text           COLLATE "C" NOT NULL DEFAULT '',
  id         bigint         GENERATED ALWAYS AS IDENTITY,
  at         timestamptz    NOT NULL DEFAULT clock_timestamp(),
  taken      integer        NOT NULL DEFAULT 0,
  full_at    timestamptz    NOT NULL,
  CONSTRAINT job_rate_uses_pkey        PRIMARY KEY (limit_name, group_key, id),
  CONSTRAINT job_rate_uses_taken_check CHECK (taken >= 0),
  CONSTRAINT job_rate_uses_time_check  CHECK (isfinite(at) AND isfinite(full_at)
    AND at < '10000-01-01 00:00:00+00' AND full_at < '10000-01-01 00:00:00+00')
) WITH (
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0
);

COMMENT ON TABLE job_rate_uses IS 'Starts that count against the rate of a limit: one row for each claim. Rows are only added, and maintenance deletes old ones.';
COMMENT ON COLUMN job_rate_uses.limit_name IS 'The limit.';
COMMENT ON COLUMN job_rate_uses.group_key IS 'The group whose rate was used. Empty: the rate of the whole limit.';
COMMENT ON COLUMN job_rate_uses.id IS 'Rises with time inside a limit and group.';
COMMENT ON COLUMN job_rate_uses.at IS 'When the jobs started.';
COMMENT ON COLUMN job_rate_uses.taken IS 'Number of jobs that started. 0: a throttle or a reset.';
COMMENT ON COLUMN job_rate_uses.full_at IS 'When the token bucket is full again, or when a throttle ends.';

CREATE DOMAIN job_schedule_name AS text COLLATE "C"
  CONSTRAINT job_schedule_name_check CHECK (octet_length(VALUE) BETWEEN 1 AND 63 AND VALUE !~ '[^a-z0-9_.-]');
CREATE DOMAIN job_schedule_interval AS bigint
  CONSTRAINT job_schedule_interval_check CHECK (VALUE BETWEEN 1 AND 3153600000);
CREATE DOMAIN job_schedule_missed AS text COLLATE "C"
  CONSTRAINT job_schedule_missed_check CHECK (VALUE IN ('skip', 'once', 'all'));
CREATE DOMAIN job_schedule_maximum AS integer
  CONSTRAINT job_schedule_maximum_check CHECK (VALUE BETWEEN 1 AND 10000);
CREATE DOMAIN job_schedule_overlap AS text COLLATE "C"
  CONSTRAINT job_schedule_overlap_check CHECK (VALUE IN ('allow', 'skip_while_live', 'cancel_previous'));
CREATE DOMAIN job_schedule_origin AS text COLLATE "C"
  CONSTRAINT job_schedule_origin_check CHECK (VALUE IN ('code', 'operator'));
-- Workers read each row of this table, so each value must be small and must have a counterpart in Java. Years 1970 to 2125.
CREATE DOMAIN job_schedule_time AS timestamptz
  CONSTRAINT job_schedule_time_check CHECK (VALUE >= '1970-01-01 00:00:00+00' AND VALUE < '2126-01-01 00:00:00+00');
CREATE DOMAIN job_schedule_payload AS jsonb
  CONSTRAINT job_schedule_payload_check CHECK (octet_length(VALUE::text) <= 33554432);
CREATE DOMAIN job_schedule_short_text AS text
  CONSTRAINT job_schedule_short_text_check CHECK (octet_length(VALUE) <= 100);
CREATE DOMAIN job_schedule_text AS text
  CONSTRAINT job_schedule_text_check CHECK (octet_length(VALUE) <= 4000);
CREATE DOMAIN job_schedule_jitter AS bigint
  CONSTRAINT job_schedule_jitter_check CHECK (VALUE BETWEEN 0 AND 3600000);
CREATE DOMAIN job_schedule_failures AS integer
  CONSTRAINT job_schedule_failures_check CHECK (VALUE >= 0);
CREATE DOMAIN job_schedule_job_id AS bigint
  CONSTRAINT job_schedule_job_id_check CHECK (VALUE > 0);

COMMENT ON DOMAIN job_schedule_name IS 'Name of a schedule: 1 to 63 of a-z, 0-9, ''_'', ''.'', ''-''.';
COMMENT ON DOMAIN job_schedule_interval IS 'Interval of a schedule in seconds, 1 to 3,153,600,000 (36,500 days).';
COMMENT ON DOMAIN job_schedule_time IS 'A time of a schedule, in the years 1970 to 2125.';
COMMENT ON DOMAIN job_schedule_payload IS 'Payload of a schedule, at most 32 MiB as text.';
COMMENT ON DOMAIN job_schedule_short_text IS 'Text of at most 100 bytes.';
COMMENT ON DOMAIN job_schedule_text IS 'Text of at most 4,000 bytes.';
COMMENT ON DOMAIN job_schedule_jitter IS 'Jitter of a schedule in milliseconds, at most an hour.';
COMMENT ON DOMAIN job_schedule_failures IS 'Number of failed tries.';
COMMENT ON DOMAIN job_schedule_job_id IS 'Id of a job, at least 1.';
COMMENT ON DOMAIN job_schedule_missed IS 'What happens to missed fires of a schedule.';
COMMENT ON DOMAIN job_schedule_maximum IS 'Maximum number of missed fires for which a schedule enqueues jobs, 1 to 10,000.';
COMMENT ON DOMAIN job_schedule_overlap IS 'What happens at a fire while an earlier job of the schedule is live.';
COMMENT ON DOMAIN job_schedule_origin IS 'What created a schedule: a declaration in code, or an operator at run time.';

CREATE TABLE job_schedules (
  name              job_schedule_name       NOT NULL,
  due_at            job_schedule_time,
  next_at           job_schedule_time,
  last_at           job_schedule_time,
  last_job_id       job_schedule_job_id,
  requested_at      job_schedule_time,
  paused_at         job_schedule_time,
  missed_until      job_schedule_time,
  cron              job_schedule_text,
  interval_seconds  job_schedule_interval,
  aligned           boolean                 NOT NULL DEFAULT true,
  zone              job_schedule_short_text NOT NULL DEFAULT 'UTC',
  except_dates      date[]                  NOT NULL DEFAULT '{}',
  zone_rules        job_schedule_short_text,
  missed            job_schedule_missed     NOT NULL DEFAULT 'once',
  missed_maximum    job_schedule_maximum    NOT NULL DEFAULT 1,
  overlap           job_schedule_overlap    NOT NULL DEFAULT 'allow',
  jitter_ms         job_schedule_jitter     NOT NULL DEFAULT 0,
  queue             job_queue_name          NOT NULL,
  kind              job_kind                NOT NULL,
  payload           job_schedule_payload,
  payload_version   integer                 NOT NULL DEFAULT 1,
  priority          job_priority,
  max_attempts      job_max_attempts,
  tags              text[],
  description       job_schedule_text,
  in_code           boolean                 NOT NULL DEFAULT false,
  origin            job_schedule_origin     NOT NULL,
  authoritative     boolean                 NOT NULL DEFAULT false,
  declaration       job_schedule_short_text,
  declared_at       job_schedule_time,
  timing_changed_at job_schedule_time,
  failures          job_schedule_failures   NOT NULL DEFAULT 0,
  failed_at         job_schedule_time,
  last_error        job_schedule_text,
  created_at        job_schedule_time       NOT NULL DEFAULT clock_timestamp(),
  updated_at        job_schedule_time       NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT job_schedules_pkey          PRIMARY KEY (name),
  CONSTRAINT job_schedules_timing_check  CHECK ((cron IS NULL) <> (interval_seconds IS NULL)),
  CONSTRAINT job_schedules_payload_check CHECK (payload IS NOT NULL OR in_code),
  CONSTRAINT job_schedules_next_check    CHECK (next_at > last_at),
  CONSTRAINT job_schedules_dates_check   CHECK (except_dates = '{}' OR (array_ndims(except_dates) = 1 AND cardinality(except_dates) <= 10000
    AND array_position(except_dates, NULL) IS NULL AND '0001-01-01' <= ALL (except_dates) AND '9999-12-31' >= ALL (except_dates))),
  CONSTRAINT job_schedules_tags_check    CHECK (tags = '{}' OR (array_ndims(tags) = 1 AND cardinality(tags) <= 20
    AND array_position(tags, NULL) IS NULL AND octet_length(array_to_string(tags, '')) <= 5040))
) WITH (
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0
);

-- A paused schedule fires when an operator requests it.
CREATE INDEX job_schedules_due_idx ON job_schedules (due_at) WHERE paused_at IS NULL OR requested_at IS NOT NULL;

COMMENT ON TABLE job_schedules IS 'Schedules: when each fires next, and the job that a fire enqueues.';
COMMENT ON COLUMN job_schedules.name IS 'Name of the schedule.';
COMMENT ON COLUMN job_schedules.due_at IS 'When a worker next fires it: next_at plus its share of the jitter, later after a failed try, earlier on request. NULL: never.';
COMMENT ON COLUMN job_schedules.next_at IS 'Planned time of the next fire. NULL: it never fires again.';
COMMENT ON COLUMN job_schedules.last_at IS 'Planned time of the last fire, except fires on request. The next planned time is always later, even if the clock steps back.';
COMMENT ON COLUMN job_schedules.last_job_id IS 'The last job that it enqueued.';
COMMENT ON COLUMN job_schedules.requested_at IS 'When an operator requested a fire that has not happened yet. NULL otherwise.';
COMMENT ON COLUMN job_schedules.paused_at IS 'Since when it fires only on request. NULL: not paused.';
COMMENT ON COLUMN job_schedules.missed_until IS 'Start of the pause that ended while it was overdue: planned times from then until updated_at do not count as missed. NULL otherwise.';
COMMENT ON COLUMN job_schedules.cron IS 'The cron expression. NULL for an interval.';
COMMENT ON COLUMN job_schedules.interval_seconds IS 'The interval in seconds. NULL for a cron expression.';
COMMENT ON COLUMN job_schedules.aligned IS 'Whether an interval is aligned to the epoch; otherwise it counts from the last fire.';
COMMENT ON COLUMN job_schedules.zone IS 'Time zone of the cron expression and of except_dates.';
COMMENT ON COLUMN job_schedules.except_dates IS 'Dates on which it does not fire.';
COMMENT ON COLUMN job_schedules.zone_rules IS 'Version of the time zone data that next_at was calculated with. NULL for a zone without rules that change.';
COMMENT ON COLUMN job_schedules.missed IS 'What happens to fires missed while no worker ran: skip, once or all.';
COMMENT ON COLUMN job_schedules.missed_maximum IS 'Maximum number of missed fires, the latest ones, for which the value all of missed enqueues jobs.';
COMMENT ON COLUMN job_schedules.overlap IS 'What a fire does while an earlier job is live: allow, skip_while_live or cancel_previous.';
COMMENT ON COLUMN job_schedules.jitter_ms IS 'Milliseconds over which schedules are spread; the name determines the share of each.';
COMMENT ON COLUMN job_schedules.queue IS 'Queue of its jobs.';
COMMENT ON COLUMN job_schedules.kind IS 'Kind of its jobs.';
COMMENT ON COLUMN job_schedules.payload IS 'Payload of its jobs. NULL: code makes it from the time of the fire.';
COMMENT ON COLUMN job_schedules.payload_version IS 'Version of the payload''s shape.';
COMMENT ON COLUMN job_schedules.priority IS 'Priority of its jobs. NULL: the default of the queue.';
COMMENT ON COLUMN job_schedules.max_attempts IS 'Attempts of its jobs. NULL: the default of the queue.';
COMMENT ON COLUMN job_schedules.tags IS 'Tags of its jobs.';
COMMENT ON COLUMN job_schedules.description IS 'Purpose of the schedule, for operators.';
COMMENT ON COLUMN job_schedules.in_code IS 'Whether only a worker that declared it can fire it, because code makes payloads or excepts dates.';
COMMENT ON COLUMN job_schedules.origin IS 'What created it: code or operator.';
COMMENT ON COLUMN job_schedules.authoritative IS 'Whether a declaration reverts a timing or a pause that operators set.';
COMMENT ON COLUMN job_schedules.declaration IS 'Hash of its latest declaration. NULL for a schedule of an operator.';
COMMENT ON COLUMN job_schedules.declared_at IS 'When a running program last declared it. NULL for a schedule of an operator.';
COMMENT ON COLUMN job_schedules.timing_changed_at IS 'When an operator changed the timing that code declared. NULL: not changed.';
COMMENT ON COLUMN job_schedules.failures IS 'Failed tries of the next fire.';
COMMENT ON COLUMN job_schedules.failed_at IS 'When the last try failed. NULL if it did not.';
COMMENT ON COLUMN job_schedules.last_error IS 'Why the last try failed. NULL if it did not.';
COMMENT ON COLUMN job_schedules.created_at IS 'When it was first declared or added.';
COMMENT ON COLUMN job_schedules.updated_at IS 'When its definition, pause or request last changed; fires do not count.';
COMMENT ON INDEX job_schedules_due_idx IS 'Serves the search for due schedules.';

CREATE DOMAIN job_worker_time AS timestamptz
  CONSTRAINT job_worker_time_check CHECK (isfinite(VALUE));

COMMENT ON DOMAIN job_worker_time IS 'A time of a worker''s row; finite.';

CREATE TABLE job_workers (
  name       text            NOT NULL,
  boot_id    uuid            NOT NULL,
  host       text,
  pid        bigint,
  queues     text[]          NOT NULL,
  kinds      text[]          NOT NULL,
  settings   jsonb,
  started_at timestamptz     NOT NULL DEFAULT clock_timestamp(),
  seen_at    job_worker_time NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT job_workers_pkey         PRIMARY KEY (boot_id),
  CONSTRAINT job_workers_queues_check CHECK (coalesce(array_ndims(queues), 1) = 1 AND array_position(queues, NULL) IS NULL),
  CONSTRAINT job_workers_kinds_check  CHECK (coalesce(array_ndims(kinds), 1) = 1 AND array_position(kinds, NULL) IS NULL)
);

COMMENT ON TABLE job_workers IS 'Workers as they describe themselves, for display. The rescue does not use the table.';
COMMENT ON COLUMN job_workers.name IS 'Configured name; may repeat.';
COMMENT ON COLUMN job_workers.boot_id IS 'Random id of one start of a worker.';
COMMENT ON COLUMN job_workers.host IS 'Host it runs on.';
COMMENT ON COLUMN job_workers.pid IS 'Process id on that host.';
COMMENT ON COLUMN job_workers.queues IS 'Queues it serves.';
COMMENT ON COLUMN job_workers.kinds IS 'Kinds it has handlers for.';
COMMENT ON COLUMN job_workers.settings IS 'Its settings.';
COMMENT ON COLUMN job_workers.started_at IS 'When it started.';
COMMENT ON COLUMN job_workers.seen_at IS 'When its last heartbeat arrived.';

CREATE DOMAIN job_operation_action AS text COLLATE "C"
  CONSTRAINT job_operation_action_check CHECK (VALUE IN ('redrive', 'run_now', 'cancel', 'prune', 'edit'));
CREATE DOMAIN job_operation_state AS text COLLATE "C"
  CONSTRAINT job_operation_state_check CHECK (VALUE IN ('running', 'stopped', 'finished'));

-- One value that Java or the filter of a list of jobs rejects would make the list of all operations fail.
CREATE DOMAIN job_operation_time AS timestamptz
  CONSTRAINT job_operation_time_check CHECK (VALUE BETWEEN '1900-01-01 00:00:00+00' AND '2125-12-08 00:00:00+00');
CREATE DOMAIN job_operation_position AS text COLLATE "C"
  CONSTRAINT job_operation_position_check CHECK (octet_length(VALUE) BETWEEN 1 AND 200 AND VALUE !~ '[^A-Za-z0-9_-]');

COMMENT ON DOMAIN job_operation_action IS 'What a bulk operation does with each job.';
COMMENT ON DOMAIN job_operation_state IS 'State of a bulk operation.';
COMMENT ON DOMAIN job_operation_time IS 'A time of a bulk operation, in the years 1900 to 2125.';
COMMENT ON DOMAIN job_operation_position IS 'Token of a page: 1 to 200 of A-Z, a-z, 0-9, ''_'', ''-''.';

CREATE TABLE job_operations (
  id            bigint                 GENERATED ALWAYS AS IDENTITY,
  actor         text                   NOT NULL,
  action        job_operation_action   NOT NULL,
  queue         job_queue_name,
  kind          job_kind,
  status        job_status,
  group_key     job_group_key,
  tag           text,
  error         text,
  error_class   text,
  error_group   text,
  since         job_operation_time,
  payload_path  text[],
  payload_value text,
  payload_patch jsonb,
  newest_id     bigint                 NOT NULL,
  died_before   job_operation_time,
  position      job_operation_position,
  done          bigint                 NOT NULL DEFAULT 0,
  skipped       bigint                 NOT NULL DEFAULT 0,
  failed        bigint                 NOT NULL DEFAULT 0,
  last_reason   text,
  state         job_operation_state    NOT NULL DEFAULT 'running',
  run_id        uuid,
  created_at    job_operation_time     NOT NULL DEFAULT clock_timestamp(),
  updated_at    job_operation_time     NOT NULL DEFAULT clock_timestamp(),
  finished_at   job_operation_time,
  CONSTRAINT job_operations_pkey           PRIMARY KEY (id),
  CONSTRAINT job_operations_finished_check CHECK ((state = 'finished') = (finished_at IS NOT NULL)),
  CONSTRAINT job_operations_payload_check  CHECK ((payload_path IS NULL) = (payload_value IS NULL)),
  CONSTRAINT job_operations_patch_check    CHECK (action = 'redrive' OR (action = 'edit') = (payload_patch IS NOT NULL)),
  CONSTRAINT job_operations_group_check    CHECK (error_group !~ '\n'),
  CONSTRAINT job_operations_path_check     CHECK (coalesce(array_ndims(payload_path), 0) = 1 AND array_position(payload_path, NULL) IS NULL
                                                  OR payload_path IS NULL)
);
CREATE INDEX job_operations_running_idx ON job_operations (updated_at) WHERE state = 'running';

COMMENT ON TABLE job_operations IS 'Bulk operations of operators: their filter, progress and result. Rows are kept as a record.';
COMMENT ON COLUMN job_operations.id IS 'Identity of the operation.';
COMMENT ON COLUMN job_operations.actor IS 'Operator who started it, as the tool named them.';
COMMENT ON COLUMN job_operations.action IS 'What it does with each job: redrive, run_now, cancel, prune or edit.';
COMMENT ON COLUMN job_operations.queue IS 'Filter: queue of the jobs. NULL: all.';
COMMENT ON COLUMN job_operations.kind IS 'Filter: kind of the jobs. NULL: all.';
COMMENT ON COLUMN job_operations.status IS 'Filter: status of the jobs. NULL: all.';
COMMENT ON COLUMN job_operations.group_key IS 'Filter: group of the jobs. NULL: all.';
COMMENT ON COLUMN job_operations.tag IS 'Filter: a tag that the jobs have. NULL: all.';
COMMENT ON COLUMN job_operations.error IS 'Filter: a text in the last error of the jobs. NULL: all.';
COMMENT ON COLUMN job_operations.error_class IS 'Filter: class of the last error of the jobs, with or without its package. NULL: all.';
COMMENT ON COLUMN job_operations.error_group IS 'Filter: first line of the last error of the jobs, with * in place of its values. NULL: all.';
COMMENT ON COLUMN job_operations.since IS 'Filter: the earliest time at which the jobs were enqueued. NULL: all.';
COMMENT ON COLUMN job_operations.payload_path IS 'Filter: a field of the payload. NULL: all.';
COMMENT ON COLUMN job_operations.payload_value IS 'Filter: the value of that field.';
COMMENT ON COLUMN job_operations.payload_patch IS 'JSON merge patch for the payloads; a redrive applies it first. NULL: payloads are not changed.';
COMMENT ON COLUMN job_operations.newest_id IS 'Newest job that existed at the preview; later jobs are not changed.';
COMMENT ON COLUMN job_operations.died_before IS 'Filter: jobs that died earlier. NULL: all.';
COMMENT ON COLUMN job_operations.position IS 'Position in the list of jobs after the last batch. NULL: before the first.';
COMMENT ON COLUMN job_operations.done IS 'Jobs that were changed.';
COMMENT ON COLUMN job_operations.skipped IS 'Jobs that could not be changed, for example because another job holds their unique key.';
COMMENT ON COLUMN job_operations.failed IS 'Jobs that other transactions had locked; a repetition may change them.';
COMMENT ON COLUMN job_operations.last_reason IS 'Why the latest job was skipped or failed. NULL: none was.';
COMMENT ON COLUMN job_operations.state IS 'running, stopped (may be continued) or finished.';
COMMENT ON COLUMN job_operations.run_id IS 'Random id of the latest run, which fences the batches of earlier ones. NULL: never run.';
COMMENT ON COLUMN job_operations.created_at IS 'When it was started.';
COMMENT ON COLUMN job_operations.updated_at IS 'When a batch last ended, or the state last changed.';
COMMENT ON COLUMN job_operations.finished_at IS 'When it finished. NULL otherwise.';
COMMENT ON INDEX job_operations_running_idx IS 'Serves the search for operations whose process has ended.';

CREATE TABLE job_changes (
  id         bigint             GENERATED ALWAYS AS IDENTITY,
  changed_at job_operation_time NOT NULL DEFAULT clock_timestamp(),
  actor      text               NOT NULL,
  reason     text,
  action     text               NOT NULL,
  queue      job_queue_name,
  target     text               NOT NULL,
  CONSTRAINT job_changes_pkey PRIMARY KEY (id)
);

COMMENT ON TABLE job_changes IS 'Single changes that operators made with their name: who changed what, when and why. Maintenance deletes rows that are older than the audit.';
COMMENT ON COLUMN job_changes.id IS 'Identity of the record.';
COMMENT ON COLUMN job_changes.changed_at IS 'When it was made.';
COMMENT ON COLUMN job_changes.actor IS 'Operator who made it, as the tool named them.';
COMMENT ON COLUMN job_changes.reason IS 'Why, as the operator wrote. NULL: not given.';
COMMENT ON COLUMN job_changes.action IS 'What was done, for example cancel or pause.';
COMMENT ON COLUMN job_changes.queue IS 'Queue that was changed, or whose job or schedule was. NULL: none, or unknown.';
COMMENT ON COLUMN job_changes.target IS 'What was changed: the id of a job or an event, or the name of a queue, key or schedule.';

-- Numbers for charts, which no query of the jobs could compute at a reasonable cost. A worker appends one row a minute for each queue and kind whose
-- attempts it claimed or ended. Maintenance deletes rows after 2 days.
CREATE TABLE job_minutes (
  minute    timestamptz    NOT NULL,
  queue     job_queue_name NOT NULL,
  kind      job_kind       NOT NULL,
  worker_id text           NOT NULL,
  completed integer        NOT NULL,
  failed    integer        NOT NULL,
  dead      integer        NOT NULL,
  cancelled integer        NOT NULL,
  snoozed   integer        NOT NULL,
  lost      integer        NOT NULL,
  waits     integer[]      NOT NULL,
  runs      integer[]      NOT NULL,
  CONSTRAINT job_minutes_minute_check CHECK (minute BETWEEN '2000-01-01 00:00:00+00' AND '2125-12-31 00:00:00+00'),
  CONSTRAINT job_minutes_counts_check CHECK (0 <= ALL (ARRAY[completed, failed, dead, cancelled, snoozed, lost])),
  CONSTRAINT job_minutes_waits_check  CHECK (coalesce(array_ndims(waits), 1) = 1 AND cardinality(waits) <= 24 AND 0 <= ALL (waits)),
  CONSTRAINT job_minutes_runs_check   CHECK (coalesce(array_ndims(runs), 1) = 1 AND cardinality(runs) <= 24 AND 0 <= ALL (runs))
);
CREATE INDEX job_minutes_minute_idx ON job_minutes (minute, queue);

COMMENT ON TABLE job_minutes IS 'What each worker did in each minute, for charts. The audit is exact; these rows may be missing if a worker was killed.';
COMMENT ON COLUMN job_minutes.minute IS 'Start of the minute.';
COMMENT ON COLUMN job_minutes.queue IS 'Queue of the jobs.';
COMMENT ON COLUMN job_minutes.kind IS 'Kind of the jobs.';
COMMENT ON COLUMN job_minutes.worker_id IS 'Worker that wrote the row.';
COMMENT ON COLUMN job_minutes.completed IS 'Attempts that completed their job.';
COMMENT ON COLUMN job_minutes.failed IS 'Failed attempts whose job is retried.';
COMMENT ON COLUMN job_minutes.dead IS 'Failed attempts after which the job was dead.';
COMMENT ON COLUMN job_minutes.cancelled IS 'Attempts that ended because their job was cancelled.';
COMMENT ON COLUMN job_minutes.snoozed IS 'Attempts whose handler snoozed the job.';
COMMENT ON COLUMN job_minutes.lost IS 'Attempts that lost their lease.';
COMMENT ON COLUMN job_minutes.waits IS 'Histogram of the times from due to claimed: how many took less than 1, 2, 4, 8 ... ms but not less than the previous bound. Ends at the last number that is not 0.';
COMMENT ON COLUMN job_minutes.runs IS 'Histogram of the run times of handlers, like waits.';
COMMENT ON INDEX job_minutes_minute_idx IS 'Serves the charts and the pruning.';

CREATE TABLE job_depths (
  minute  timestamptz    NOT NULL,
  queue   job_queue_name NOT NULL,
  pending bigint         NOT NULL,
  running bigint         NOT NULL,
  waiting bigint         NOT NULL,
  dead    bigint         NOT NULL,
  CONSTRAINT job_depths_pkey         PRIMARY KEY (minute, queue),
  CONSTRAINT job_depths_minute_check CHECK (minute BETWEEN '2000-01-01 00:00:00+00' AND '2125-12-31 00:00:00+00'),
  CONSTRAINT job_depths_counts_check CHECK (least(pending, running, waiting, dead) >= 0
                                            AND greatest(pending, running, waiting, dead) <= 1000000000000)
);

COMMENT ON TABLE job_depths IS 'How many live jobs each queue had in each minute, for charts. One worker counts them for all. Numbers above 10,000 are estimates.';
COMMENT ON COLUMN job_depths.minute IS 'Start of the minute.';
COMMENT ON COLUMN job_depths.queue IS 'The queue. A queue without live jobs has a row only in the minute after it had some.';
COMMENT ON COLUMN job_depths.pending IS 'Its pending jobs.';
COMMENT ON COLUMN job_depths.running IS 'Its running jobs.';
COMMENT ON COLUMN job_depths.waiting IS 'Its jobs that wait for their ordering key.';
COMMENT ON COLUMN job_depths.dead IS 'Its dead jobs.';
