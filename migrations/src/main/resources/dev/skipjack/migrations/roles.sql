-- Roles of a Skipjack queue. Run this script after each migration as the owner of the queue's tables, who must be allowed to create
-- roles. It revokes the rights of the roles in the schema and grants those that this version needs. The roles cannot log in. Grant them
-- to users, for instance: GRANT {prefix}_worker, {prefix}_producer TO my_service;
--
--   {prefix}_sql_producer  enqueues and sends signals in SQL, only with the functions enqueue and signal
--   {prefix}_producer      enqueues with the library, including unique jobs and idempotency keys; reads and changes payloads of live jobs;
--                          records events of the outbox
--   {prefix}_worker        runs jobs and relays, and creates partitions; changes no payload of a live job and deletes no history
--   {prefix}_operator      reads all but the inbox, cancels, redrives, edits and prunes jobs, pauses and configures queues
--   {prefix}_viewer        reads jobs, history, settings and counts without payloads, headers, results, progress and stacks
--
-- Only the owner of the tables can remove partitions: see docs/guides/roles.md.

DO $roles$
DECLARE
  role text;
BEGIN
  FOREACH role IN ARRAY ARRAY['sql_producer', 'producer', 'worker', 'operator', 'viewer'] LOOP
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = '{prefix}_' || role) THEN
      EXECUTE format('CREATE ROLE %I NOLOGIN', '{prefix}_' || role);
    END IF;
  END LOOP;
END;
$roles$;

-- Only the owner may create objects in the queue's schema.
REVOKE CREATE ON SCHEMA {schema} FROM PUBLIC;

REVOKE ALL ON SCHEMA {schema} FROM {roles};
REVOKE ALL ON ALL TABLES IN SCHEMA {schema} FROM {roles};
REVOKE ALL ON ALL SEQUENCES IN SCHEMA {schema} FROM {roles};
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA {schema} FROM {roles};
GRANT USAGE ON SCHEMA {schema} TO {roles};
GRANT EXECUTE ON FUNCTION {schema}.schema_version() TO {roles};

-- Producers in SQL. The function runs with its owner's rights and checks its arguments.
GRANT EXECUTE ON FUNCTION {schema}.enqueue(text, json, text, integer, interval, timestamptz, integer, text[], text, text, interval, integer, text, text, boolean, jsonb, text)
   TO {prefix}_sql_producer, {prefix}_producer;

GRANT EXECUTE ON FUNCTION {schema}.outbox_record(text, text, text, bytea, text, jsonb, text) TO {prefix}_sql_producer, {prefix}_producer;

GRANT EXECUTE ON FUNCTION {schema}.signal(text, text, json, text, interval, text)
   TO {prefix}_sql_producer, {prefix}_producer, {prefix}_worker, {prefix}_operator;

-- Producers in Java. INSERT covers the columns of a new job, including the id, which the library draws from the sequence, and the status,
-- because a job with an ordering key waits until a worker promotes it. It does not cover the time of creation. UPDATE is for a unique job
-- that replaces or debounces the pending one, and for an idempotency key that has expired. A grant covers columns, not rows: see
-- docs/guides/roles.md for what this leaves open.
GRANT USAGE ON SEQUENCE {schema}.jobs_id_seq TO {prefix}_producer;
GRANT SELECT ON {schema}.jobs, {schema}.job_keys, {schema}.job_queues TO {prefix}_producer;
GRANT INSERT (id, scheduled_at, max_attempts, payload_version, priority, queue, kind, payload, unique_key, unique_label, unique_until, tags,
              headers, status, ordering_key, ordering_policy, group_key, owner_id)
   ON {schema}.jobs TO {prefix}_producer;
GRANT UPDATE (payload, payload_version, priority, scheduled_at, updated_at) ON {schema}.jobs TO {prefix}_producer;
GRANT INSERT (key, job_id, expires_at), UPDATE (job_id, expires_at) ON {schema}.job_keys TO {prefix}_producer;

-- Events. A producer inserts an event and reads its position. A consumer with an inbox records the events that it has processed.
GRANT INSERT (event_id, shard, aggregate_type, aggregate_id, event_type, content_type, headers, traceparent, payload), SELECT (position)
   ON {schema}.outbox_events TO {prefix}_producer;
GRANT INSERT (consumer, event_id), SELECT ON {schema}.inbox_events TO {prefix}_producer, {prefix}_worker;

-- Batches. A producer opens a batch, adds jobs to it and seals it.
GRANT SELECT, INSERT, UPDATE ON {schema}.job_batches TO {prefix}_producer;

-- Producers declare, add and retire schedules, because schedules enqueue jobs. A worker that fires them needs this role too.
GRANT SELECT, INSERT, UPDATE, DELETE ON {schema}.job_schedules TO {prefix}_producer;

-- Workers. A completed job moves from jobs to jobs_archive, so they delete and insert. They may not update payload, kind or queue.
GRANT SELECT ON {schema}.jobs, {schema}.job_executions, {schema}.jobs_archive, {schema}.job_queues, {schema}.job_keys, {schema}.job_workers,
                {schema}.job_schedules, {schema}.job_limits, {schema}.job_groups, {schema}.job_rate_uses
   TO {prefix}_worker;
GRANT UPDATE (status, current_execution_id, lease_expires_at, scheduled_at, updated_at, started_at, died_at, cancel_requested_at, attempts,
              uncounted_attempts, locked_by, last_error, last_error_class, unique_key, freed_unique_key, progress, ordering_head, limit_name,
              awaits, signals)
   ON {schema}.jobs TO {prefix}_worker;
GRANT DELETE ON {schema}.jobs, {schema}.job_keys TO {prefix}_worker;
GRANT UPDATE (expires_at) ON {schema}.job_keys TO {prefix}_worker; -- to lock a key before it is deleted
GRANT INSERT ON {schema}.jobs_archive TO {prefix}_worker;
GRANT INSERT (id, job_id, started_at, attempt, queue, kind, worker_id, group_key) ON {schema}.job_executions TO {prefix}_worker;
GRANT UPDATE (status, finished_at, error_class, error_message, error_stack) ON {schema}.job_executions TO {prefix}_worker;
GRANT INSERT, UPDATE, DELETE ON {schema}.job_workers TO {prefix}_worker;
GRANT UPDATE (locked_at) ON {schema}.job_limits TO {prefix}_worker; -- to lock a limit, whose numbers only operators change
GRANT INSERT (limit_name, group_key, taken, full_at), UPDATE (at), DELETE ON {schema}.job_rate_uses TO {prefix}_worker; -- UPDATE locks old rows
-- Numbers for charts, which workers also delete after 2 days.
GRANT SELECT, INSERT, DELETE ON {schema}.job_minutes, {schema}.job_depths TO {prefix}_worker;
GRANT SELECT ON {schema}.job_minutes, {schema}.job_depths TO {prefix}_operator, {prefix}_viewer;
-- To notice an operation whose process has ended. A worker that continues it needs the role of operators too.
GRANT SELECT (state, updated_at) ON {schema}.job_operations TO {prefix}_worker;
-- To find records of changes that the owner of the tables should delete.
GRANT SELECT (id, changed_at) ON {schema}.job_changes TO {prefix}_worker;
-- Where the handlers of long attempts are: frames of code, without messages. Workers write and remove them.
GRANT SELECT, INSERT, UPDATE, DELETE ON {schema}.job_stacks TO {prefix}_worker;
GRANT SELECT ON {schema}.job_stacks TO {prefix}_operator, {prefix}_viewer;
-- Relays. A published event moves from outbox_events to outbox_published.
GRANT SELECT, DELETE ON {schema}.outbox_events, {schema}.outbox_blocked, {schema}.inbox_events TO {prefix}_worker;
GRANT UPDATE (status, attempts, last_error, died_at) ON {schema}.outbox_events TO {prefix}_worker;
GRANT INSERT ON {schema}.outbox_published TO {prefix}_worker;
GRANT SELECT ON {schema}.outbox_published, {schema}.outbox_shards TO {prefix}_worker;
GRANT UPDATE (lease_id, leased_at, lease_expires_at, leased_by) ON {schema}.outbox_shards TO {prefix}_worker;
GRANT INSERT, UPDATE ON {schema}.outbox_blocked TO {prefix}_worker;
GRANT UPDATE (received_at) ON {schema}.inbox_events TO {prefix}_worker; -- to lock a row before it is deleted
GRANT SELECT ON SEQUENCE {schema}.outbox_events_position_seq TO {prefix}_worker; -- to find out which events may still be committed late
-- Durable steps and batches. A worker that runs jobs with steps needs the role of a producer too, because it enqueues the jobs that undo steps
-- and those that follow a batch.
GRANT SELECT, INSERT, UPDATE, DELETE ON {schema}.job_steps, {schema}.job_waits, {schema}.job_batches TO {prefix}_worker;
GRANT UPDATE (steps) ON {schema}.jobs_archive TO {prefix}_worker;
GRANT SELECT, DELETE ON {schema}.job_signals TO {prefix}_worker;
GRANT UPDATE (taken_by_job, taken_at) ON {schema}.job_signals TO {prefix}_worker;
GRANT USAGE ON SEQUENCE {schema}.job_execution_id_seq TO {prefix}_worker;
GRANT EXECUTE ON FUNCTION {schema}.create_partition(text, timestamptz) TO {prefix}_worker, {prefix}_operator;

-- Operators. A cancelled job is archived, and a pruned one is deleted.
GRANT SELECT ON {schema}.jobs, {schema}.job_executions, {schema}.jobs_archive, {schema}.job_queues, {schema}.job_keys, {schema}.job_schedules,
                {schema}.job_workers, {schema}.job_limits, {schema}.job_groups, {schema}.job_rate_uses
   TO {prefix}_operator;
GRANT UPDATE (status, current_execution_id, lease_expires_at, scheduled_at, updated_at, died_at, cancel_requested_at, uncounted_attempts, max_attempts,
              priority, queue, payload, payload_version, unique_key, freed_unique_key, tags, ordering_head, ordering_position)
   ON {schema}.jobs TO {prefix}_operator;
GRANT DELETE ON {schema}.jobs TO {prefix}_operator;
GRANT USAGE ON SEQUENCE {schema}.jobs_id_seq TO {prefix}_operator; -- a redriven or skipped job goes to the back of its ordering key
GRANT EXECUTE ON FUNCTION {schema}.unblock(text, bigint), {schema}.skip_head(text, bigint), {schema}.merge_patch(jsonb, jsonb) TO {prefix}_operator;
GRANT EXECUTE ON FUNCTION {schema}.blocked_keys() TO {prefix}_operator, {prefix}_viewer;
GRANT INSERT ON {schema}.jobs_archive TO {prefix}_operator;
GRANT INSERT, UPDATE, DELETE ON {schema}.job_queues, {schema}.job_limits, {schema}.job_groups, {schema}.job_rate_uses, {schema}.job_schedules
   TO {prefix}_operator;

-- The outbox. Operators redrive dead events and unblock aggregates.
GRANT SELECT ON {schema}.outbox_events, {schema}.outbox_published, {schema}.outbox_blocked, {schema}.outbox_shards TO {prefix}_operator;
GRANT UPDATE (status, attempts, died_at) ON {schema}.outbox_events TO {prefix}_operator;
GRANT INSERT, UPDATE, DELETE ON {schema}.outbox_blocked TO {prefix}_operator;
GRANT UPDATE (leased_by) ON {schema}.outbox_shards TO {prefix}_operator; -- to lock a shard

-- Durable steps and batches. Operators cancel batches.
GRANT SELECT ON {schema}.job_steps, {schema}.job_waits, {schema}.job_signals, {schema}.job_batches TO {prefix}_operator;
GRANT UPDATE (sealed_at, cancelled_at) ON {schema}.job_batches TO {prefix}_operator;

-- The record of bulk operations. Operators add to it and update the progress, but cannot change who did what.
GRANT SELECT, INSERT ON {schema}.job_operations TO {prefix}_operator;
GRANT UPDATE (position, done, skipped, failed, last_reason, state, run_id, updated_at, finished_at) ON {schema}.job_operations TO {prefix}_operator;
GRANT SELECT, INSERT (actor, reason, action, queue, target) ON {schema}.job_changes TO {prefix}_operator;

-- Viewers. Of the tables below, they read every column except payload, headers, result, progress and the stack traces of errors.
GRANT SELECT (id, current_execution_id, lease_expires_at, scheduled_at, created_at, updated_at, started_at, died_at, cancel_requested_at,
              attempts, uncounted_attempts, max_attempts, payload_version, priority, status, queue, kind, locked_by, last_error, last_error_class,
              unique_key, unique_label, unique_until, freed_unique_key, ordering_key, ordering_head, ordering_position, ordering_policy,
              group_key, limit_name, tags, owner_id, awaits, signals)
   ON {schema}.jobs TO {prefix}_viewer;
GRANT SELECT (id, job_id, started_at, finished_at, attempt, status, queue, kind, worker_id, group_key, error_class, error_message)
   ON {schema}.job_executions TO {prefix}_viewer;
GRANT SELECT (id, finished_at, status, queue, kind, payload_version, priority, scheduled_at, created_at, started_at, attempts, uncounted_attempts,
              max_attempts, execution_id, worker_id, last_error, unique_label, ordering_key, group_key, tags, owner_id)
   ON {schema}.jobs_archive TO {prefix}_viewer;
GRANT SELECT (job_id, execution_id, at, position, type, name, sent_by, undo_kind, undo_queue, undo_payload_version, undo_max_attempts)
   ON {schema}.job_steps TO {prefix}_viewer;
GRANT SELECT ON {schema}.job_waits TO {prefix}_viewer;
GRANT SELECT (id, sent_at, expires_at, taken_by_job, taken_at, address, name, sent_by) ON {schema}.job_signals TO {prefix}_viewer;
GRANT SELECT (id, owner_id, total, created_at, sealed_at, finished_at, first_dead_at, cancelled_at, succeeded, dead_policy, name, finish_kind, finish_queue,
              success_kind, success_queue, first_dead_kind, first_dead_queue)
   ON {schema}.job_batches TO {prefix}_viewer;
GRANT SELECT (name, due_at, next_at, last_at, last_job_id, requested_at, paused_at, missed_until, cron, interval_seconds, aligned, zone, except_dates,
              zone_rules, missed, missed_maximum, overlap, jitter_ms, queue, kind, payload_version, priority, max_attempts, tags, description,
              in_code, origin, authoritative, declaration, declared_at, timing_changed_at, failures, failed_at, last_error, created_at,
              updated_at)
   ON {schema}.job_schedules TO {prefix}_viewer;
GRANT SELECT ON {schema}.job_queues, {schema}.job_workers, {schema}.job_limits, {schema}.job_groups, {schema}.job_rate_uses TO {prefix}_viewer;
GRANT SELECT (position, recorded_at, died_at, attempts, shard, status, event_id, aggregate_type, aggregate_id, event_type, content_type,
              traceparent, last_error)
   ON {schema}.outbox_events TO {prefix}_viewer;
GRANT SELECT (position, recorded_at, published_at, attempts, event_id, aggregate_type, aggregate_id, event_type, content_type, traceparent)
   ON {schema}.outbox_published TO {prefix}_viewer;
GRANT SELECT ON {schema}.outbox_blocked, {schema}.outbox_shards TO {prefix}_viewer;

-- These grants do not cover later tables and functions, nor later columns where a role has rights on single columns. Run the script of
-- the new version before its workers start. Until then, only the owner may use the new tables. To protect new functions too, run once for
-- each owner:
--   ALTER DEFAULT PRIVILEGES FOR ROLE <owner> REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
