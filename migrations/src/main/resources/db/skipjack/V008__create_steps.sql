-- What:  what jobs with durable steps have already done (job_steps), what they wait for (job_waits), the signals that were sent to them
--        (job_signals), batches of jobs (job_batches), and signal(...), with which programs in any language send a signal.
-- Why:   a job that takes days is an ordinary job that ends its attempt whenever it waits. These rows let the next attempt continue. A job
--        without steps has no row here. job_steps and job_waits contain live jobs only: when a job ends, its steps move to jobs_archive.
-- Safety: signal runs with its owner's rights, so it fixes the settings that it depends on, searches pg_catalog only and
--        names our own objects with their schema (docs/adr/0019).
-- Locks: creates only. Undo: DROP FUNCTION signal; DROP TABLE job_steps, job_waits, job_signals, job_batches; DROP DOMAIN job_step_name,
--        job_step_type, job_address, job_sender, job_dead_policy.

CREATE DOMAIN job_step_name AS text COLLATE "C"
  CONSTRAINT job_step_name_check CHECK (octet_length(VALUE) BETWEEN 1 AND 512);
CREATE DOMAIN job_step_type AS text COLLATE "C"
  CONSTRAINT job_step_type_check CHECK (VALUE IN ('run', 'undone', 'sleep', 'await', 'version', 'children', 'join'));
CREATE DOMAIN job_address AS text COLLATE "C"
  CONSTRAINT job_address_check CHECK (octet_length(VALUE) BETWEEN 5 AND 516 AND VALUE ~ '^(job/[1-9][0-9]*$|key/)');
CREATE DOMAIN job_sender AS text
  CONSTRAINT job_sender_check CHECK (octet_length(VALUE) BETWEEN 1 AND 200);
CREATE DOMAIN job_dead_policy AS text COLLATE "C"
  CONSTRAINT job_dead_policy_check CHECK (VALUE IN ('count', 'wait', 'cancel_rest'));

COMMENT ON DOMAIN job_step_name IS 'Name of a step, a sleep, a signal or a join: 1 to 512 bytes.';
COMMENT ON DOMAIN job_step_type IS 'What a step did.';
COMMENT ON DOMAIN job_address IS 'Where a signal is sent: job/ and the id of a job, or key/ and a key of 1 to 512 bytes.';
COMMENT ON DOMAIN job_sender IS 'Who sent a signal: 1 to 200 bytes.';
COMMENT ON DOMAIN job_dead_policy IS 'What a dead job means for its batch.';

CREATE TABLE job_steps (
  job_id               bigint         NOT NULL,
  execution_id         bigint         NOT NULL,
  at                   timestamptz    NOT NULL DEFAULT clock_timestamp(),
  position             integer        NOT NULL,
  undo_payload_version integer,
  undo_max_attempts    job_max_attempts,
  type                 job_step_type  NOT NULL,
  name                 job_step_name  NOT NULL,
  sent_by              job_sender,
  undo_kind            job_kind,
  undo_queue           job_queue_name,
  undo_payload         jsonb,
  result               jsonb,
  CONSTRAINT job_steps_pkey       PRIMARY KEY (job_id, name),
  CONSTRAINT job_steps_undo_check CHECK (undo_kind IS NULL
    OR (undo_queue IS NOT NULL AND undo_payload IS NOT NULL AND undo_payload_version IS NOT NULL))
) WITH (
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0
);

-- Jobs that must be undone if they die or are cancelled.
CREATE INDEX job_steps_undo_idx ON job_steps (job_id) WHERE undo_kind IS NOT NULL AND type = 'run';

COMMENT ON TABLE job_steps IS 'Memos: what live jobs with durable steps have already done. Moved to jobs_archive.steps when the job ends.';
COMMENT ON COLUMN job_steps.job_id IS 'The job. Not a foreign key, because that would slow down the end of every job.';
COMMENT ON COLUMN job_steps.execution_id IS 'Execution that recorded the memo.';
COMMENT ON COLUMN job_steps.at IS 'When it was recorded.';
COMMENT ON COLUMN job_steps.position IS 'Number of the memo among those of its job, from 1. Undos run in the opposite order.';
COMMENT ON COLUMN job_steps.undo_payload_version IS 'Payload version of the job that undoes the step.';
COMMENT ON COLUMN job_steps.undo_max_attempts IS 'Maximum number of attempts of the job that undoes the step. NULL: the default.';
COMMENT ON COLUMN job_steps.type IS 'run, undone (run, and its undo was enqueued, so it runs again if the job is redriven), sleep, await (a signal), version, children (jobs that it enqueued) or join (their results).';
COMMENT ON COLUMN job_steps.name IS 'Name by which later attempts find the memo.';
COMMENT ON COLUMN job_steps.sent_by IS 'Who sent the signal.';
COMMENT ON COLUMN job_steps.undo_kind IS 'Kind of the job that undoes the step. NULL: the step is not undone.';
COMMENT ON COLUMN job_steps.undo_queue IS 'Queue of that job.';
COMMENT ON COLUMN job_steps.undo_payload IS 'Payload of that job.';
COMMENT ON COLUMN job_steps.result IS 'Result of the step, when a sleep ends, the payload of the signal, the version, or the children. NULL: none, or no signal was sent in time.';
COMMENT ON INDEX job_steps_undo_idx IS 'Serves the search for jobs that must be undone.';

CREATE TABLE job_waits (
  job_id    bigint        NOT NULL,
  since     timestamptz   NOT NULL DEFAULT clock_timestamp(),
  ends_at   job_scheduled_at NOT NULL,
  address   job_address   NOT NULL,
  name      job_step_name NOT NULL,
  CONSTRAINT job_waits_pkey PRIMARY KEY (address, name, job_id)
);
CREATE INDEX job_waits_job_idx ON job_waits (job_id);

COMMENT ON TABLE job_waits IS 'Live jobs that wait for a signal, and where it must be sent.';
COMMENT ON COLUMN job_waits.job_id IS 'The job.';
COMMENT ON COLUMN job_waits.since IS 'When the wait began.';
COMMENT ON COLUMN job_waits.ends_at IS 'When the job continues without the signal.';
COMMENT ON COLUMN job_waits.address IS 'Where the signal must be sent: job/<id> or key/<key>.';
COMMENT ON COLUMN job_waits.name IS 'Name of the signal.';
COMMENT ON INDEX job_waits_job_idx IS 'Serves the waits of one job.';

CREATE TABLE job_signals (
  id           bigint        GENERATED BY DEFAULT AS IDENTITY,
  sent_at      timestamptz   NOT NULL DEFAULT clock_timestamp(),
  expires_at   job_scheduled_at NOT NULL,
  taken_by_job bigint,
  taken_at     timestamptz,
  address      job_address   NOT NULL,
  name         job_step_name NOT NULL,
  sent_by      job_sender,
  link_id      text,
  payload      jsonb         NOT NULL,
  CONSTRAINT job_signals_pkey PRIMARY KEY (id)
);
CREATE INDEX job_signals_untaken_idx ON job_signals (address, name, id) WHERE taken_by_job IS NULL;
CREATE INDEX job_signals_expires_at_idx ON job_signals (expires_at);
CREATE UNIQUE INDEX job_signals_link_idx ON job_signals (link_id) WHERE link_id IS NOT NULL;

COMMENT ON TABLE job_signals IS 'Signals that were sent to jobs. Deleted when a job takes them or they expire; those of signed links only when they expire.';
COMMENT ON COLUMN job_signals.id IS 'Identity of the signal; the oldest one is taken first.';
COMMENT ON COLUMN job_signals.sent_at IS 'When it was sent.';
COMMENT ON COLUMN job_signals.expires_at IS 'When no job can take it any more.';
COMMENT ON COLUMN job_signals.taken_by_job IS 'Job that took it, if a signed link sent it. NULL: no job has taken it.';
COMMENT ON COLUMN job_signals.taken_at IS 'When that job took it.';
COMMENT ON COLUMN job_signals.address IS 'Where it was sent: job/<id> or key/<key>.';
COMMENT ON COLUMN job_signals.name IS 'Name for which the job waits.';
COMMENT ON COLUMN job_signals.sent_by IS 'Who sent it.';
COMMENT ON COLUMN job_signals.link_id IS 'Signed link that was used, which works once. NULL: it was not sent by a link.';
COMMENT ON COLUMN job_signals.payload IS 'What the job receives.';
COMMENT ON INDEX job_signals_untaken_idx IS 'Serves the search for a signal that a job can take.';
COMMENT ON INDEX job_signals_expires_at_idx IS 'Serves the deletion of expired signals.';
COMMENT ON INDEX job_signals_link_idx IS 'Allows one use of each link.';

-- A batch takes its id from the sequence of the jobs, so owner_id names either a job or a batch.
CREATE TABLE job_batches (
  id                         bigint          NOT NULL DEFAULT nextval('jobs_id_seq'),
  owner_id                   bigint,
  total                      bigint          NOT NULL DEFAULT 0,
  created_at                 timestamptz     NOT NULL DEFAULT clock_timestamp(),
  sealed_at                  timestamptz,
  finished_at                timestamptz,
  first_dead_at              timestamptz,
  cancelled_at               timestamptz,
  succeeded                  boolean,
  dead_policy                job_dead_policy NOT NULL DEFAULT 'count',
  name                       job_step_name   NOT NULL,
  finish_kind                job_kind,
  finish_queue               job_queue_name,
  finish_payload             jsonb,
  finish_payload_version     integer,
  finish_priority            job_priority,
  finish_max_attempts        job_max_attempts,
  success_kind               job_kind,
  success_queue              job_queue_name,
  success_payload            jsonb,
  success_payload_version    integer,
  success_priority           job_priority,
  success_max_attempts       job_max_attempts,
  first_dead_kind            job_kind,
  first_dead_queue           job_queue_name,
  first_dead_payload         jsonb,
  first_dead_payload_version integer,
  first_dead_priority        job_priority,
  first_dead_max_attempts    job_max_attempts,
  CONSTRAINT job_batches_pkey           PRIMARY KEY (id),
  CONSTRAINT job_batches_finished_check CHECK ((finished_at IS NULL) = (succeeded IS NULL) AND (finished_at IS NULL OR sealed_at IS NOT NULL))
);

-- The batches that a sweep reads.
CREATE INDEX job_batches_open_idx ON job_batches (id) WHERE finished_at IS NULL;
-- The batches in a batch: NULL for those that have not finished, and then whether they succeeded.
CREATE INDEX job_batches_owner_idx ON job_batches (owner_id, succeeded) WHERE owner_id IS NOT NULL;
CREATE INDEX job_batches_finished_at_idx ON job_batches (finished_at) WHERE finished_at IS NOT NULL;

COMMENT ON TABLE job_batches IS 'Batches: sets of jobs with a common end. A join has one too.';
COMMENT ON COLUMN job_batches.id IS 'Identity of the batch; no job has the same id.';
COMMENT ON COLUMN job_batches.owner_id IS 'Batch that contains this batch, or the job that joins its jobs. NULL: none.';
COMMENT ON COLUMN job_batches.total IS 'Number of jobs and batches that were added. Every addition changes it, so that the batch cannot finish meanwhile.';
COMMENT ON COLUMN job_batches.created_at IS 'When it was opened.';
COMMENT ON COLUMN job_batches.sealed_at IS 'When it was sealed, so that it finishes when its jobs have ended. NULL: not yet.';
COMMENT ON COLUMN job_batches.finished_at IS 'When its last job had ended. NULL: not yet.';
COMMENT ON COLUMN job_batches.first_dead_at IS 'When a worker found its first dead job. NULL: none so far.';
COMMENT ON COLUMN job_batches.cancelled_at IS 'When its cancellation was requested. NULL: never.';
COMMENT ON COLUMN job_batches.succeeded IS 'Whether all of its jobs and batches had succeeded when it finished. NULL: it has not finished.';
COMMENT ON COLUMN job_batches.dead_policy IS 'count: a dead job has ended. wait: the batch waits until it is redriven, cancelled or pruned. cancel_rest: it cancels the others.';
COMMENT ON COLUMN job_batches.name IS 'Name for operators, which several batches may have; of a join, the name of the step.';
COMMENT ON COLUMN job_batches.finish_kind IS 'Kind of the job that is enqueued when the batch has finished. NULL: none.';
COMMENT ON COLUMN job_batches.finish_queue IS 'Queue of that job.';
COMMENT ON COLUMN job_batches.finish_payload IS 'Payload of that job.';
COMMENT ON COLUMN job_batches.finish_payload_version IS 'Payload version of that job.';
COMMENT ON COLUMN job_batches.finish_priority IS 'Priority of that job. NULL: the default of its queue.';
COMMENT ON COLUMN job_batches.finish_max_attempts IS 'Maximum number of attempts of that job. NULL: the default of its queue.';
COMMENT ON COLUMN job_batches.success_kind IS 'Kind of the job that is enqueued when all jobs of the batch have completed. NULL: none.';
COMMENT ON COLUMN job_batches.success_queue IS 'Queue of that job.';
COMMENT ON COLUMN job_batches.success_payload IS 'Payload of that job.';
COMMENT ON COLUMN job_batches.success_payload_version IS 'Payload version of that job.';
COMMENT ON COLUMN job_batches.success_priority IS 'Priority of that job. NULL: the default of its queue.';
COMMENT ON COLUMN job_batches.success_max_attempts IS 'Maximum number of attempts of that job. NULL: the default of its queue.';
COMMENT ON COLUMN job_batches.first_dead_kind IS 'Kind of the job that is enqueued when the first job of the batch has become dead. NULL: none.';
COMMENT ON COLUMN job_batches.first_dead_queue IS 'Queue of that job.';
COMMENT ON COLUMN job_batches.first_dead_payload IS 'Payload of that job.';
COMMENT ON COLUMN job_batches.first_dead_payload_version IS 'Payload version of that job.';
COMMENT ON COLUMN job_batches.first_dead_priority IS 'Priority of that job. NULL: the default of its queue.';
COMMENT ON COLUMN job_batches.first_dead_max_attempts IS 'Maximum number of attempts of that job. NULL: the default of its queue.';
COMMENT ON INDEX job_batches_open_idx IS 'Serves the search for batches that have finished.';
COMMENT ON INDEX job_batches_owner_idx IS 'Serves the batches in a batch.';
COMMENT ON INDEX job_batches_finished_at_idx IS 'Serves the pruning of finished batches.';

DO $install$
BEGIN
  EXECUTE format($create$
CREATE FUNCTION signal(
  address    text,
  name       text,
  payload    json     DEFAULT '{}',
  sent_by    text     DEFAULT session_user,
  expires_in interval DEFAULT interval '30 days',
  link_id    text     DEFAULT NULL
) RETURNS text
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp
  SET standard_conforming_strings = on
  SET timezone = 'UTC'
  SET enable_seqscan = off
AS %L
  $create$, replace($body$
#variable_conflict use_column
DECLARE
  -- A key for which many jobs wait wakes the oldest ones. The sweep of the workers wakes others while there are signals left.
  most_woken constant integer := 100;
  document jsonb;
  receivers bigint[];
  live     integer := 0;
  woken    integer := 0;
  job      record;
BEGIN
  IF signal.address IS NULL OR octet_length(signal.address) NOT BETWEEN 5 AND 516
     OR NOT (signal.address COLLATE "C" ~ '^job/[1-9][0-9]{0,18}$' OR starts_with(signal.address, 'key/'))
     OR (starts_with(signal.address, 'job/') AND substr(signal.address, 5)::numeric > 9223372036854775807) THEN
    RAISE EXCEPTION 'Address ''%'' is not allowed. Use job/ and the id of a job, or key/ and a key of 1 to 512 bytes.', left(signal.address, 80)
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF signal.name IS NULL OR octet_length(signal.name) NOT BETWEEN 1 AND 512 THEN
    RAISE EXCEPTION 'Signal name ''%'' is not allowed. Use 1 to 512 bytes.', left(signal.name, 80) USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF octet_length(signal.sent_by) NOT BETWEEN 1 AND 200 THEN
    RAISE EXCEPTION 'Sender ''%'' has % bytes; 1 to 200 are allowed.', left(signal.sent_by, 80), octet_length(signal.sent_by)
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF octet_length(signal.link_id) NOT BETWEEN 1 AND 200 THEN
    RAISE EXCEPTION 'Link id has % bytes; 1 to 200 are allowed.', octet_length(signal.link_id) USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF signal.expires_in IS NULL OR signal.expires_in <= interval '0' OR signal.expires_in > interval '36500 days' THEN
    RAISE EXCEPTION 'A signal cannot expire in %; give more than zero and at most 36500 days.', signal.expires_in
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  document := @require_payload(signal.payload);
  IF signal.link_id IS NOT NULL AND EXISTS (SELECT FROM @job_signals WHERE link_id = signal.link_id) THEN
    RETURN 'used';
  END IF;

  IF starts_with(signal.address, 'job/') THEN
    receivers := ARRAY[substr(signal.address, 5)::bigint];
  ELSE
    receivers := ARRAY(SELECT job_id FROM @job_waits WHERE address = signal.address AND name = signal.name ORDER BY job_id LIMIT most_woken);
  END IF;
  -- An attempt that suspends its job compares the counter with the one that it has read. Rows are locked in the order of their ids.
  FOR job IN
    WITH locked AS MATERIALIZED (SELECT id FROM @jobs WHERE id = ANY (receivers) ORDER BY id FOR NO KEY UPDATE)
    UPDATE @jobs
       SET signals = coalesce(signals, 0) % 2147483647 + 1,
           scheduled_at = CASE WHEN status = 'pending' AND awaits = signal.name THEN least(scheduled_at, clock_timestamp()) ELSE scheduled_at END,
           updated_at = clock_timestamp()
     WHERE id = ANY (ARRAY(SELECT id FROM locked))
    RETURNING queue, kind, priority, ordering_key, status = 'pending' AND awaits = signal.name AS is_waiting
  LOOP
    live := live + 1;
    IF job.is_waiting THEN
      woken := woken + 1;
      PERFORM @wake_up(job.queue, job.kind, job.priority, job.ordering_key);
    END IF;
  END LOOP;
  IF live = 0 AND starts_with(signal.address, 'job/') THEN
    RETURN 'ended';
  END IF;
  INSERT INTO @job_signals (address, name, payload, sent_by, expires_at, link_id)
  VALUES (signal.address, signal.name, document, signal.sent_by, clock_timestamp() + signal.expires_in, signal.link_id)
  ON CONFLICT (link_id) WHERE link_id IS NOT NULL DO NOTHING;
  RETURN CASE WHEN NOT FOUND THEN 'used' WHEN woken > 0 THEN 'woken' ELSE 'stored' END;
END;
  $body$, '@', quote_ident(current_schema()) || '.'));
END;
$install$;

COMMENT ON FUNCTION signal(text, text, json, text, interval, text) IS
'Sends a signal to a job in the caller''s transaction: SELECT signal(''job/42'', ''review'', ''{"ok": true}''), or signal(''key/order-7'', ...)
to a job that waits for a key. Returns woken (a job that waits is due now), stored (a job takes it when it waits), ended (the job has ended
or never existed; nothing was stored) or used (the link was used before). name: for what the job waits. payload: JSON, at most 256 KiB. sent_by: who
sends it, by default the session''s user. expires_in: how long a job may take it, by default 30 days. link_id: allows one use.
Invalid arguments raise 22023.';

REVOKE ALL ON FUNCTION signal(text, text, json, text, interval, text) FROM PUBLIC;
