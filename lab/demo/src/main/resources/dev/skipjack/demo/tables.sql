-- The tables of the demo's service, beside those of the queue. Undo: DROP SCHEMA skipjack_demo CASCADE.

CREATE SCHEMA IF NOT EXISTS skipjack_demo;

-- Every delivery that was received, once. Its body is in the job, which was created in the same transaction.
CREATE TABLE IF NOT EXISTS skipjack_demo.deliveries (
  delivery    uuid        NOT NULL PRIMARY KEY,    -- the sender's id; the key refuses a second send
  job_id      bigint      NOT NULL,
  event       text        NOT NULL,
  repository  text,                                -- NULL: outside any repository
  fate        text        NOT NULL CHECK (fate IN ('SUCCEEDS', 'FAILS_ONCE', 'POISONED')),
  received_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Every send of a delivery that was already stored.
CREATE TABLE IF NOT EXISTS skipjack_demo.refused_sends (
  delivery   uuid        NOT NULL,
  refused_by text        NOT NULL CHECK (refused_by IN ('unique_key', 'table')),    -- table: its job had ended
  refused_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- What handling a delivery did. No unique key: only the queue prevents a second effect, and the verification counts.
CREATE TABLE IF NOT EXISTS skipjack_demo.effects (
  delivery   uuid        NOT NULL,
  job_id     bigint      NOT NULL,
  handled_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
