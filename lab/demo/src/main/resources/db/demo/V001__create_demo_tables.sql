-- What:  the tables of the demo's service: what it received, what it did about it, and what it sent twice.
-- Why:   they show domain tables beside the queue's, and let the end of the demo be verified from the database alone.
-- Locks: creates only. Undo: DROP SCHEMA skipjack_demo CASCADE.

CREATE TABLE runs (
  run         uuid        NOT NULL,
  started_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  finished_at timestamptz,
  sends       bigint,
  CONSTRAINT runs_pkey           PRIMARY KEY (run),
  CONSTRAINT runs_finished_check CHECK ((finished_at IS NULL) = (sends IS NULL))
);

-- No foreign key to runs: every send would lock that one row.
CREATE TABLE deliveries (
  delivery    uuid        NOT NULL,
  run         uuid        NOT NULL,
  job_id      bigint      NOT NULL,
  event       text        NOT NULL,
  action      text,
  repository  text,
  salt        bigint      NOT NULL,
  second_send text        NOT NULL,
  received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT deliveries_pkey              PRIMARY KEY (delivery),
  CONSTRAINT deliveries_second_send_check CHECK (second_send IN ('none', 'at_once', 'when_done'))
);

CREATE TABLE refused_sends (
  id         bigint      GENERATED ALWAYS AS IDENTITY,
  delivery   uuid        NOT NULL,
  run        uuid        NOT NULL,
  attempt    text        NOT NULL,
  refused_by text        NOT NULL,
  refused_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT refused_sends_pkey             PRIMARY KEY (id),
  CONSTRAINT refused_sends_attempt_check    CHECK (attempt IN ('first', 'second')),
  CONSTRAINT refused_sends_refused_by_check CHECK (refused_by IN ('unique_key', 'table'))
);

CREATE TABLE effects (
  delivery   uuid        NOT NULL,
  job_id     bigint      NOT NULL,
  event      text        NOT NULL,
  repository text,
  handled_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT effects_pkey PRIMARY KEY (delivery)
);

-- A few rows, changed by every job: room in each page keeps their updates HOT.
CREATE TABLE event_counts (
  repository text   NOT NULL,
  event      text   NOT NULL,
  handled    bigint NOT NULL,
  CONSTRAINT event_counts_pkey PRIMARY KEY (repository, event)
) WITH (fillfactor = 50);

COMMENT ON TABLE runs IS 'One row for each run of the demo that sent deliveries.';
COMMENT ON COLUMN runs.run IS 'Identity of the run.';
COMMENT ON COLUMN runs.started_at IS 'When the first delivery was about to be sent.';
COMMENT ON COLUMN runs.finished_at IS 'When every send was made. NULL: the run goes on or was cut short.';
COMMENT ON COLUMN runs.sends IS 'Sends made, second ones included. NULL until finished.';
COMMENT ON TABLE deliveries IS 'Every delivery that was received, once. Its body travels in the job.';
COMMENT ON COLUMN deliveries.delivery IS 'Identity given by the sender; the key that refuses a second send.';
COMMENT ON COLUMN deliveries.run IS 'Run that received it.';
COMMENT ON COLUMN deliveries.job_id IS 'Its job, created in the same transaction.';
COMMENT ON COLUMN deliveries.event IS 'What it is about.';
COMMENT ON COLUMN deliveries.action IS 'What happened. NULL for events without actions.';
COMMENT ON COLUMN deliveries.repository IS 'Where it happened. NULL outside any repository.';
COMMENT ON COLUMN deliveries.salt IS 'With the id it decides the fate of the job and whether there is a second send.';
COMMENT ON COLUMN deliveries.second_send IS 'Whether the sender was to send it again: none, at_once, when_done (after its job had ended).';
COMMENT ON COLUMN deliveries.received_at IS 'When it was stored.';
COMMENT ON TABLE refused_sends IS 'Every send of a delivery that was there already.';
COMMENT ON COLUMN refused_sends.id IS 'Running number.';
COMMENT ON COLUMN refused_sends.delivery IS 'The delivery.';
COMMENT ON COLUMN refused_sends.run IS 'Run that sent it.';
COMMENT ON COLUMN refused_sends.attempt IS 'first: the input held a delivery known before; second: the planned second send.';
COMMENT ON COLUMN refused_sends.refused_by IS 'unique_key: its job was alive; table: it was stored and its job had ended.';
COMMENT ON COLUMN refused_sends.refused_at IS 'When it was refused.';
COMMENT ON TABLE effects IS 'What handling a delivery did: one row, written in the transaction that completed the job.';
COMMENT ON COLUMN effects.delivery IS 'The delivery; the key makes a second effect impossible.';
COMMENT ON COLUMN effects.job_id IS 'The job that did it.';
COMMENT ON COLUMN effects.event IS 'Its event.';
COMMENT ON COLUMN effects.repository IS 'Its repository. NULL outside any repository.';
COMMENT ON COLUMN effects.handled_at IS 'When it was handled.';
COMMENT ON TABLE event_counts IS 'Handled events for each repository and event.';
COMMENT ON COLUMN event_counts.repository IS 'The repository; empty for events outside any.';
COMMENT ON COLUMN event_counts.event IS 'The event.';
COMMENT ON COLUMN event_counts.handled IS 'How many.';
