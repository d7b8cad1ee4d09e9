-- What:  enqueue(...), with which psql, triggers and programs in any language enqueue jobs as the Java library does: with the
--        same checks, the same keys, and a wake-up of the workers. Also blocked_keys(), unblock(...) and skip_head(...), with which an
--        operator manages ordering keys in psql.
-- Why:   an INSERT would have to repeat the checks of the library, and needs the right to write every column. This
--        function only needs EXECUTE. The functions for ordering keys run with the rights of their callers.
-- Safety: enqueue runs with its owner's rights, and its callers can change most settings of their sessions. So each
--        function here fixes the settings that it depends on, searches pg_catalog only, names our own objects with their schema
--        ("@" stands for it below), and has no backslash in a literal (docs/adr/0019).
-- Locks: creates only. Undo: DROP FUNCTION enqueue, require_payload, stored_key, wake_up, blocked_keys, unblock,
--        skip_head, merge_patch.

CREATE FUNCTION stored_key(scope text, key text) RETURNS text
  LANGUAGE sql
  IMMUTABLE STRICT PARALLEL SAFE
  SET search_path = pg_catalog, pg_temp
  SET standard_conforming_strings = on
AS $$
  SELECT CASE WHEN octet_length(convert_to(key, 'UTF8')) <= 200 THEN scope || '/' || key
              ELSE scope || '#' || encode(sha256(convert_to(key, 'UTF8')), 'hex') END
$$;

CREATE FUNCTION require_payload(payload json) RETURNS jsonb
  LANGUAGE plpgsql
  IMMUTABLE PARALLEL SAFE
  SET search_path = pg_catalog, pg_temp
  SET standard_conforming_strings = on
AS $$
DECLARE
  most_bytes      constant integer := 262144;
  most_written    constant integer := 524288;
  backslash       constant text    := chr(92);
  quoted          constant text    := '"([^"' || backslash || backslash || ']|' || backslash || backslash || '.)*"';
  blanks          constant text    := chr(9) || chr(10) || chr(13);
  between_numbers constant text    := '[]{}: ' || blanks;
  document text    := payload::text;
  size     integer := octet_length(convert_to(document, 'UTF8'));
  written  integer;
  bare     text;
  brackets text;
  stored   jsonb;
BEGIN
  IF payload IS NULL OR json_typeof(payload) = 'null' THEN
    RAISE EXCEPTION 'Payload is null. Use an empty object for a job without data.' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF size > most_bytes THEN
    RAISE EXCEPTION 'Payload has % bytes; % are allowed. Store the document elsewhere and enqueue its id.', size, most_bytes
      USING ERRCODE = 'invalid_parameter_value';
  END IF;

  -- Most payloads skip this check: they have neither more than 100 opening brackets nor digits that could be a huge
  -- number, even in strings.
  IF length(document) - length(translate(document, '{[', '')) > 100 OR document COLLATE "C" ~ '[0-9]{211}|[eE][-+]?[0-9]{3}' THEN
    bare := regexp_replace(document COLLATE "C", quoted, '', 'g');

    -- Each pass removes the innermost pairs, so there are as many passes as levels.
    brackets := translate(bare, '{}0123456789.+-eEtrufalsn,: ' || blanks, '[]');
    FOR level IN 1..100 LOOP
      EXIT WHEN brackets = '';
      brackets := replace(brackets, '[]', '');
    END LOOP;
    IF brackets <> '' THEN
      RAISE EXCEPTION 'Payload is nested deeper than 100.' USING ERRCODE = 'invalid_parameter_value';
    END IF;

    -- jsonb writes numbers out: the eight characters of 1e100000 would become 100,001 digits. One statement checks the numbers that could
    -- have that many digits, because a loop over all numbers of a payload can take seconds.
    IF EXISTS (
      SELECT
        FROM string_to_table(translate(bare, 'E' || between_numbers, 'e' || repeat(',', length(between_numbers))), ',') AS number
       CROSS JOIN LATERAL (SELECT split_part(number, 'e', 1), ltrim(split_part(number, 'e', 2), '+')) AS part (mantissa, exponent)
       CROSS JOIN LATERAL (SELECT length(ltrim(split_part(mantissa, '.', 1), '-')), length(split_part(mantissa, '.', 2)),
                                  CASE WHEN length(ltrim(exponent, '-0')) <= 4 THEN ('0' || ltrim(exponent, '-0'))::integer ELSE 10000 END
                                  * CASE WHEN starts_with(exponent, '-') THEN -1 ELSE 1 END) AS digits (before_point, behind_point, power)
       WHERE number COLLATE "C" ~ '[0-9]{211}|e[-+]?0*[1-9][0-9]{2}'
         AND (before_point + power > 309 OR behind_point - power > 1000)) THEN
      RAISE EXCEPTION 'Payload holds a number that has, written out, more than 309 digits before its point or 1000 behind it.'
        USING ERRCODE = 'invalid_parameter_value';
    END IF;
  END IF;

  stored := payload::jsonb;
  -- The seven characters of 1e-1000 are written as 1,002. No other number grows more, so a document of at most
  -- 3,600 bytes cannot exceed the limit.
  IF size > 3600 THEN
    written := octet_length(convert_to(stored::text, 'UTF8'));
    IF written > most_written THEN
      RAISE EXCEPTION 'Payload has % bytes, and % once its numbers are written out; % are allowed. Send numbers with large exponents as strings, or store the document elsewhere and enqueue its id.',
        size, written, most_written USING ERRCODE = 'invalid_parameter_value';
    END IF;
  END IF;
  RETURN stored;
END;
$$;

-- NOTIFY takes a lock on the whole server at commit. So of the open transactions that began in the same tenth of a second, only one
-- notifies for a queue. The worker that it wakes, or a poll, finds the jobs of the others. The time at which a transaction began
-- counts, so a long transaction suppresses no later notification and takes one lock per queue.
DO $install$
BEGIN
  EXECUTE format($create$
CREATE FUNCTION wake_up(queue text, kind text, priority integer, ordering_key text) RETURNS void
  LANGUAGE plpgsql
  SET search_path = pg_catalog, pg_temp
  SET standard_conforming_strings = on
AS %L
  $create$, format($body$
DECLARE
  lane_hash text := encode(sha256(convert_to(%L || wake_up.queue, 'UTF8')), 'hex');
BEGIN
  IF pg_try_advisory_xact_lock(('x' || left(lane_hash, 16))::bit(64)::bigint # floor(extract(epoch FROM now()) * 10)::bigint) THEN
    PERFORM pg_notify(%L, wake_up.queue || ' ' || wake_up.kind || ' ' || wake_up.priority::text || coalesce(' ' || wake_up.ordering_key, ''));
  END IF;
END;
  $body$, current_schema() || '/', 'skipjack_' || left(encode(sha256(convert_to(current_schema(), 'UTF8')), 'hex'), 16)));
END;
$install$;

DO $install$
DECLARE
  home constant text := quote_ident(current_schema()) || '.';
BEGIN
  EXECUTE format($create$
CREATE FUNCTION enqueue(
  kind             text,
  payload          json        DEFAULT '{}',
  queue            text        DEFAULT 'default',
  priority         integer     DEFAULT NULL,
  delay            interval    DEFAULT NULL,
  scheduled_at     timestamptz DEFAULT NULL,
  max_attempts     integer     DEFAULT NULL,
  tags             text[]      DEFAULT NULL,
  unique_key       text        DEFAULT NULL,
  idempotency_key  text        DEFAULT NULL,
  idempotency_kept interval    DEFAULT interval '24 hours',
  payload_version  integer     DEFAULT 1,
  traceparent      text        DEFAULT NULL,
  ordering_key     text        DEFAULT NULL,
  strict_ordering  boolean     DEFAULT false,
  headers          jsonb       DEFAULT NULL,
  group_key        text        DEFAULT NULL
) RETURNS bigint
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp
  SET standard_conforming_strings = on
  -- A day of a delay has 24 hours, as in Java. In the caller's time zone, it may have 23 or 25.
  SET timezone = 'UTC'
  -- A session keeps its plans. A plan made while a table is empty would later scan the whole table.
  SET enable_seqscan = off
AS %L
  $create$, format($body$
#variable_conflict use_column
DECLARE
  job_ids     constant regclass    := %L::regclass;
  job_table   constant regclass    := %L::regclass;
  $body$, home || 'jobs_id_seq', home || 'jobs') || replace($body$
  -- Each repeat means that another transaction took or freed a key between two statements. This many in a row have another cause.
  most_tries  constant integer     := 50;
  longest     constant interval    := interval '36500 days';
  latest      constant timestamptz := timestamptz '2026-01-01 00:00:00+00' + interval '876000 hours';
  -- Control characters. A tag must not begin or end with a space either.
  control     constant text        := '[' || chr(1) || '-' || chr(31) || chr(127) || '-' || chr(159) || ']';
  no_tag      constant text        := '^ | $|' || control;
  lane        text := coalesce(enqueue.queue, 'default');
  document    jsonb;
  labels      text[];
  label       text;
  due         timestamptz;
  taken_key   text;
  rank        integer;
  tries       integer;
  job         bigint;
  key_hash    bytea;
  context     jsonb;
  header      record;
BEGIN
  IF enqueue.kind IS NULL OR octet_length(enqueue.kind) NOT BETWEEN 1 AND 63 OR enqueue.kind COLLATE "C" ~ '[^a-z0-9_.-]' THEN
    RAISE EXCEPTION 'Kind name ''%'' is not allowed. Use 1 to 63 of a-z, 0-9, ''_'', ''.'', ''-''.', left(enqueue.kind, 80)
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF octet_length(lane) NOT BETWEEN 1 AND 63 OR lane COLLATE "C" ~ '[^a-z0-9_.-]' THEN
    RAISE EXCEPTION 'Queue name ''%'' is not allowed. Use 1 to 63 of a-z, 0-9, ''_'', ''.'', ''-''.', left(lane, 80)
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF enqueue.priority NOT BETWEEN -100 AND 100 THEN
    RAISE EXCEPTION 'Priority % is not in -100..100.', enqueue.priority USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF enqueue.max_attempts NOT BETWEEN 1 AND 1000000 THEN
    RAISE EXCEPTION 'Max attempts % is not in 1..1000000.', enqueue.max_attempts USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF enqueue.payload_version < 1 THEN
    RAISE EXCEPTION 'Payload version % is below 1.', enqueue.payload_version USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF enqueue.delay IS NOT NULL AND enqueue.scheduled_at IS NOT NULL THEN
    RAISE EXCEPTION 'Both delay and scheduled_at are given. Give one of them.' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF enqueue.delay NOT BETWEEN interval '0' AND longest THEN
    RAISE EXCEPTION 'Delay % is not in 0..36500 days.', enqueue.delay USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF enqueue.scheduled_at > latest THEN
    RAISE EXCEPTION 'Schedule % is after %.', enqueue.scheduled_at, latest USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF cardinality(enqueue.tags) > 20 THEN
    RAISE EXCEPTION '% tags; at most 20 are allowed.', cardinality(enqueue.tags) USING ERRCODE = 'invalid_parameter_value';
  END IF;
  FOREACH label IN ARRAY coalesce(enqueue.tags, '{}') LOOP
    IF label IS NULL OR length(label) NOT BETWEEN 1 AND 63 OR label COLLATE "C" ~ no_tag THEN
      RAISE EXCEPTION 'Tag ''%'' is not allowed. Use 1 to 63 characters, no control characters, no space at either end.', left(label, 80)
        USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF NOT label = ANY (coalesce(labels, '{}')) THEN
      labels := array_append(labels, label);
    END IF;
  END LOOP;
  IF enqueue.unique_key IS NOT NULL AND enqueue.idempotency_key IS NOT NULL THEN
    RAISE EXCEPTION 'A job of kind ''%'' has a unique key and an idempotency key. Give it one of them.', enqueue.kind
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF length(coalesce(enqueue.unique_key, enqueue.idempotency_key)) NOT BETWEEN 1 AND 1000000 THEN
    RAISE EXCEPTION 'Key has % characters; 1 to 1000000 are allowed.', length(coalesce(enqueue.unique_key, enqueue.idempotency_key))
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF enqueue.idempotency_key IS NOT NULL
     AND (enqueue.idempotency_kept IS NULL OR enqueue.idempotency_kept <= interval '0' OR enqueue.idempotency_kept > longest) THEN
    RAISE EXCEPTION 'An idempotency key cannot be kept for %; give more than zero and at most 36500 days.', enqueue.idempotency_kept
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF enqueue.headers IS NOT NULL THEN
    IF jsonb_typeof(enqueue.headers) <> 'object' THEN
      RAISE EXCEPTION 'Headers are not a JSON object of strings.' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    FOR header IN SELECT key AS name, value #>> '{}' AS content, jsonb_typeof(value) AS type FROM jsonb_each(enqueue.headers) LOOP
      IF header.name = '' OR header.name COLLATE "C" ~ '[^a-z0-9!#$%&''*+.^_`|~-]' THEN
        RAISE EXCEPTION 'Header name ''%'' is not allowed. Use a-z, 0-9 and !#$%%&''*+.^_`|~-.', left(header.name, 80)
          USING ERRCODE = 'invalid_parameter_value';
      END IF;
      IF starts_with(header.name, 'skipjack-') THEN
        RAISE EXCEPTION 'Header name ''%'' is not allowed. Skipjack sets the headers that begin with ''skipjack-''.', left(header.name, 80)
          USING ERRCODE = 'invalid_parameter_value';
      END IF;
      IF header.type <> 'string' OR header.content COLLATE "C" ~ control THEN
        RAISE EXCEPTION 'The value of header ''%'' is not allowed. It must be a string without control characters.', left(header.name, 80)
          USING ERRCODE = 'invalid_parameter_value';
      END IF;
    END LOOP;
    enqueue.traceparent := coalesce(enqueue.traceparent, enqueue.headers ->> 'traceparent');
  END IF;
  IF enqueue.traceparent IS NOT NULL
     AND (enqueue.traceparent COLLATE "C" !~ '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$'
          OR enqueue.traceparent COLLATE "C" ~ '^ff|^..-0{32}|-0{16}-') THEN
    RAISE EXCEPTION 'Trace parent ''%'' is not allowed. Use the W3C form: version, trace id, parent id and flags as 2, 32, 16 and 2 of 0-9 and a-f between ''-'', no id all zeros, version not ff.', left(enqueue.traceparent, 80)
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  context := CASE WHEN enqueue.traceparent IS NULL THEN nullif(enqueue.headers, '{}')
                  ELSE coalesce(enqueue.headers, '{}') || jsonb_build_object('traceparent', enqueue.traceparent) END;
  IF octet_length(context::text) > 4096 THEN
    RAISE EXCEPTION 'Header ''%'' is too large: the headers have % bytes as JSON; at most 4096 are allowed.',
      (SELECT left(key, 80) FROM jsonb_each_text(context) ORDER BY octet_length(key || value) DESC LIMIT 1), octet_length(context::text)
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF octet_length(convert_to(enqueue.ordering_key, 'UTF8')) NOT BETWEEN 1 AND 512 THEN
    RAISE EXCEPTION 'Ordering key has % bytes in UTF-8; 1 to 512 are allowed.', octet_length(convert_to(enqueue.ordering_key, 'UTF8'))
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF octet_length(convert_to(enqueue.group_key, 'UTF8')) NOT BETWEEN 1 AND 200 THEN
    RAISE EXCEPTION 'Group has % bytes in UTF-8; 1 to 200 are allowed.', octet_length(convert_to(enqueue.group_key, 'UTF8'))
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  document := @require_payload(enqueue.payload);

  -- Before an id is drawn, take the lock that the Java library takes for the key, one of 1,024 (docs/adr/0038).
  IF enqueue.strict_ordering AND enqueue.ordering_key IS NOT NULL THEN
    key_hash := sha256(convert_to(enqueue.ordering_key, 'UTF8'));
    PERFORM pg_advisory_xact_lock(job_table::integer, (get_byte(key_hash, 0) << 2) | (get_byte(key_hash, 1) >> 6));
  END IF;

  IF enqueue.idempotency_key IS NOT NULL THEN
    taken_key := @stored_key('idempotency/' || enqueue.kind, enqueue.idempotency_key);
    tries := 0;
    LOOP
      SELECT job_id INTO job FROM @job_keys WHERE key = taken_key AND expires_at > clock_timestamp();
      IF FOUND THEN
        RETURN job;
      END IF;
      job := nextval(job_ids);
      -- Takes over an expired key. If a concurrent transaction inserted the key, this statement changes nothing, and the next try finds it.
      INSERT INTO @job_keys (key, job_id, expires_at)
      VALUES (taken_key, job, clock_timestamp() + enqueue.idempotency_kept)
      ON CONFLICT (key) DO UPDATE SET job_id = excluded.job_id, expires_at = excluded.expires_at
                                WHERE job_keys.expires_at <= clock_timestamp();
      EXIT WHEN FOUND;
      tries := tries + 1;
      IF tries = most_tries THEN
        RAISE EXCEPTION 'The job was not enqueued: its idempotency key changed hands % times in a row. Try again.', tries
          USING ERRCODE = 'serialization_failure';
      END IF;
    END LOOP;
  END IF;

  due := greatest(enqueue.scheduled_at, clock_timestamp()) + coalesce(enqueue.delay, interval '0');
  tries := 0;
  LOOP
    IF enqueue.unique_key IS NOT NULL THEN
      taken_key := @stored_key('kind/' || enqueue.kind, enqueue.unique_key);
      SELECT id INTO job FROM @jobs WHERE unique_key = taken_key;
      IF FOUND THEN
        RETURN job;
      END IF;
    END IF;
    job := coalesce(job, nextval(job_ids));
    INSERT INTO @jobs (id, queue, kind, payload, payload_version, priority, max_attempts, scheduled_at, tags,
                      unique_key, unique_label, unique_until, headers, ordering_key, group_key, status)
    SELECT job, lane, enqueue.kind, document, coalesce(enqueue.payload_version, 1),
           coalesce(enqueue.priority, job_queues.default_priority, 0),
           coalesce(enqueue.max_attempts, job_queues.default_max_attempts, 25), due, labels,
           CASE WHEN enqueue.unique_key IS NOT NULL THEN taken_key END,
           CASE WHEN octet_length(convert_to(enqueue.unique_key, 'UTF8')) > 200 THEN left(enqueue.unique_key, 60) || '...'
                ELSE enqueue.unique_key END,
           CASE WHEN enqueue.unique_key IS NOT NULL THEN 'dead' END,
           context, enqueue.ordering_key, enqueue.group_key,
           CASE WHEN enqueue.ordering_key IS NULL THEN 'pending' ELSE 'waiting' END
      FROM (SELECT) AS one_row
      LEFT JOIN @job_queues ON job_queues.queue = lane
    ON CONFLICT (unique_key) WHERE unique_key IS NOT NULL DO NOTHING
    RETURNING priority INTO rank;
    EXIT WHEN FOUND;
    -- The holder was inserted after the SELECT.
    tries := tries + 1;
    IF tries = most_tries THEN
      RAISE EXCEPTION 'The job was not enqueued: its unique key changed hands % times in a row. Try again.', tries
        USING ERRCODE = 'serialization_failure';
    END IF;
  END LOOP;

  IF due <= clock_timestamp() THEN
    PERFORM @wake_up(lane, enqueue.kind, rank, enqueue.ordering_key);
  END IF;
  RETURN job;
END;
  $body$, '@', home));
END;
$install$;

-- The next three functions do what QueueAdmin and JobReader do. The fourth changes payloads for JobOperations. None of them promotes the next job:
-- a worker's sweep finds that the key has no head (docs/adr/0038).
DO $install$
DECLARE
  home constant text := quote_ident(current_schema()) || '.';
BEGIN
  EXECUTE format($create$
CREATE FUNCTION blocked_keys(
  OUT ordering_key text,
  OUT head         bigint,
  OUT queue        text,
  OUT kind         text,
  OUT died_at      timestamptz,
  OUT last_error   text,
  OUT waiting      bigint
) RETURNS SETOF record
  LANGUAGE sql
  STABLE
  SET search_path = pg_catalog, pg_temp
  SET standard_conforming_strings = on
  SET enable_seqscan = off
AS %L
  $create$, replace($body$
  SELECT dead.ordering_key::text, dead.id, dead.queue::text, dead.kind::text, dead.died_at, dead.last_error,
         (SELECT count(*)
            FROM (SELECT FROM @jobs AS behind
                   WHERE behind.status = 'waiting' AND behind.ordering_key = dead.ordering_key LIMIT 1000) AS counted)
    FROM @jobs AS dead
   WHERE dead.ordering_head AND dead.status = 'dead'
   ORDER BY dead.ordering_key
   LIMIT 1000
  $body$, '@', home));

  EXECUTE format($create$
CREATE FUNCTION unblock(ordering_key text, head bigint DEFAULT NULL) RETURNS boolean
  LANGUAGE plpgsql
  SET search_path = pg_catalog, pg_temp
  SET standard_conforming_strings = on
  SET enable_seqscan = off
AS %L
  $create$, replace($body$
DECLARE
  job bigint;
BEGIN
  SELECT jobs.id INTO job FROM @jobs
   WHERE jobs.ordering_key = unblock.ordering_key AND jobs.ordering_head AND jobs.id = coalesce(unblock.head, jobs.id)
     AND jobs.status = 'dead' FOR NO KEY UPDATE NOWAIT;
  UPDATE @jobs SET ordering_head = NULL, updated_at = clock_timestamp() WHERE jobs.id = job;
  RETURN FOUND;
END;
  $body$, '@', home));

  EXECUTE format($create$
CREATE FUNCTION skip_head(ordering_key text, head bigint DEFAULT NULL) RETURNS bigint
  LANGUAGE plpgsql
  SET search_path = pg_catalog, pg_temp
  SET standard_conforming_strings = on
  SET enable_seqscan = off
AS %L
  $create$, format($body$
DECLARE
  job_ids constant regclass := %L::regclass;
  $body$, home || 'jobs_id_seq') || replace($body$
  job     bigint;
  state   text;
BEGIN
  SELECT jobs.id, jobs.status INTO job, state FROM @jobs
   WHERE jobs.ordering_key = skip_head.ordering_key AND jobs.ordering_head AND jobs.id = coalesce(skip_head.head, jobs.id)
     FOR NO KEY UPDATE NOWAIT;
  IF state = 'running' THEN
    RAISE EXCEPTION 'Job % is running and cannot be skipped. Cancel it, or wait for the end of its attempt.', job
      USING ERRCODE = 'object_in_use';
  ELSIF state = 'pending' THEN
    UPDATE @jobs SET status = 'waiting', ordering_head = NULL, ordering_position = nextval(job_ids), updated_at = clock_timestamp()
     WHERE jobs.id = job;
  ELSE
    UPDATE @jobs SET ordering_head = NULL, updated_at = clock_timestamp() WHERE jobs.id = job;
  END IF;
  RETURN job;
END;
  $body$, '@', home));

  EXECUTE format($create$
CREATE FUNCTION merge_patch(target jsonb, patch jsonb) RETURNS jsonb
  LANGUAGE plpgsql
  IMMUTABLE STRICT PARALLEL SAFE
  SET search_path = pg_catalog, pg_temp
  SET standard_conforming_strings = on
AS %L
  $create$, replace($body$
DECLARE
  merged jsonb := CASE jsonb_typeof(target) WHEN 'object' THEN target ELSE '{}' END;
  member record;
BEGIN
  IF jsonb_typeof(patch) <> 'object' THEN
    RETURN patch;
  END IF;
  FOR member IN SELECT key, value FROM jsonb_each(patch) LOOP
    merged := CASE jsonb_typeof(member.value)
                WHEN 'null' THEN merged - member.key
                ELSE merged || jsonb_build_object(member.key, @merge_patch(coalesce(merged -> member.key, 'null'), member.value)) END;
  END LOOP;
  RETURN merged;
END;
  $body$, '@', home));
END;
$install$;

COMMENT ON FUNCTION stored_key(text, text) IS 'Returns a key in the form in which it is compared: readable if it has at most 200 bytes, otherwise hashed.';
COMMENT ON FUNCTION require_payload(json) IS
'Returns the payload. Fails if it is null, larger than 262,144 bytes, larger than 524,288 once its numbers are written out, nested deeper than 100,
or contains a huge number.';
COMMENT ON FUNCTION wake_up(text, text, integer, text) IS
'Notifies listening workers, when this transaction commits, that a lane has a job. Best effort. The channel is skipjack_ and the first 16
hex digits of the SHA-256 of the schema''s name. The payload is the queue, kind, priority and, if any, ordering key, separated by spaces.';
COMMENT ON FUNCTION enqueue(text, json, text, integer, interval, timestamptz, integer, text[], text, text, interval, integer, text, text, boolean, jsonb, text) IS
'Enqueues a job in the caller''s transaction and returns its id: SELECT enqueue(''send-welcome'', ''{"userId": 42}'', delay => ''5 min'').
kind: the name of its type. payload: JSON for the handler, at most 256 KiB, or 512 KiB with its numbers written out (cast jsonb with
::json). queue: default ''default''. priority: -100 to 100, by default that of the queue''s settings or 0. delay or scheduled_at: when it is due, by default now.
max_attempts: 1 to 1,000,000, by default that of the queue''s settings or 25. tags: up to 20. unique_key: if a live job of the kind holds it, that
job is returned. idempotency_key: while it is kept (idempotency_kept), the first job of the kind with the key is returned.
payload_version: version of the payload''s format. traceparent: W3C traceparent, passed to the handler. ordering_key: jobs of one key run
one after another. strict_ordering: in the order of the commits; the call then waits for open transactions that have enqueued such jobs
of the key. headers: a JSON object of strings, at most 4,096 bytes, passed to the handler and inherited by follow-up jobs.
group_key: the tenant or the resource of the job, 1 to 200 bytes, for fair queues and limits.
Invalid arguments raise 22023. The server''s JSON parser rejects some payloads earlier: invalid JSON and lone surrogates raise 22P02,
NUL raises 22P05, and thousands of levels raise 54001. A job that is due wakes workers at commit.';

COMMENT ON FUNCTION blocked_keys() IS
'Returns the ordering keys that a dead job blocks, at most 1,000, with that job and the number of jobs that wait behind it, up to 1,000.';
COMMENT ON FUNCTION unblock(text, bigint) IS
'Takes an ordering key from the dead job that blocks it, and returns whether there was one. The job remains dead, and a worker promotes the
next job soon after the commit. head: the job that must block the key, or NULL for any. Raises 55P03 if another transaction has locked it.';
COMMENT ON FUNCTION skip_head(text, bigint) IS
'Takes an ordering key from the job that holds it and returns that job''s id, or NULL if no job holds the key. A pending job goes to the back of
the key, and a dead one remains dead. A worker promotes the next job soon after the commit. head: the job that must hold the key, or NULL
for any; if it does not hold the key, the result is NULL. Raises 55006 if the job is running, and 55P03 if another transaction has locked it.';
COMMENT ON FUNCTION merge_patch(jsonb, jsonb) IS
'Applies a JSON merge patch (RFC 7396): members of patch replace those of target, null removes a member, and objects are merged.';

REVOKE ALL ON FUNCTION stored_key(text, text) FROM PUBLIC;
REVOKE ALL ON FUNCTION require_payload(json) FROM PUBLIC;
REVOKE ALL ON FUNCTION wake_up(text, text, integer, text) FROM PUBLIC;
REVOKE ALL ON FUNCTION enqueue(text, json, text, integer, interval, timestamptz, integer, text[], text, text, interval, integer, text, text, boolean, jsonb, text) FROM PUBLIC;
REVOKE ALL ON FUNCTION blocked_keys() FROM PUBLIC;
REVOKE ALL ON FUNCTION unblock(text, bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION skip_head(text, bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION merge_patch(jsonb, jsonb) FROM PUBLIC;
