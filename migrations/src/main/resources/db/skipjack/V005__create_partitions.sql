-- What:  the functions that create partitions of the audit (weeks), the archive and the published events (days), and the first partitions.
-- Why:   CREATE TABLE ... PARTITION OF locks out every reader and writer of the parent. Creating a table and attaching it does
--        not. There is no DEFAULT partition: each attach would scan it, and it would prevent concurrent detaching.
--        Bounds are in UTC, so that workers in different time zones use the same ones.
-- Safety: the functions run with their owner's rights, so they fix the settings that their meaning depends on, search pg_catalog only and
--        name our own objects with their schema (docs/adr/0019).
-- Locks: creates only. Undo: DROP FUNCTION create_partitions, create_partition; the partitions are dropped with their parents.

DO $install$
BEGIN
  EXECUTE format($create$
CREATE FUNCTION create_partition(parent text, containing timestamptz) RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp
  SET standard_conforming_strings = on
  SET timezone = 'UTC'
  SET lock_timeout = '500ms'
  -- The settings of the migration, so that a caller's settings do not put a partition into another tablespace.
  SET default_tablespace FROM CURRENT
  SET default_table_access_method FROM CURRENT
AS %L
  $create$, format($body$
DECLARE
  home      constant name := %L;
  $body$, current_schema()) || $body$
  day       date := (containing AT TIME ZONE 'UTC')::date;
  first_day date;
  next_day  date;
  storage   text;
  child     text;
  there     regclass;
BEGIN
  IF containing IS NULL OR NOT isfinite(containing) THEN
    RAISE EXCEPTION 'create_partition: no partition holds "%"; use a finite instant', containing USING ERRCODE = 'invalid_parameter_value';
  END IF;
  -- 50 years allow for imported history. A year is far more than maintenance creates ahead. Without bounds, a role that
  -- may only call this function could fill the catalog. Also, the name of a partition has four digits for the year.
  IF containing NOT BETWEEN clock_timestamp() - interval '50 years' AND clock_timestamp() + interval '366 days' THEN
    RAISE EXCEPTION 'create_partition: "%" is not between 50 years ago and 366 days ahead; use an instant between', containing
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF parent = 'job_executions' THEN
    first_day := day - (extract(isodow FROM day)::integer - 1);
    next_day  := first_day + 7;
    -- The update that ends an attempt is HOT only if the page has room for a second version of the row. This version is a little longer, so half of
    -- the page is not enough.
    storage   := 'fillfactor = 46, autovacuum_vacuum_cost_delay = 0, autovacuum_vacuum_scale_factor = 0.05';
  ELSIF parent = 'jobs_archive' THEN
    first_day := day;
    next_day  := day + 1;
    storage   := 'autovacuum_vacuum_insert_scale_factor = 0.5';
  ELSIF parent = 'outbox_published' THEN
    first_day := day;
    next_day  := day + 1;
    storage   := 'autovacuum_vacuum_insert_scale_factor = 0.5';
  ELSE
    RAISE EXCEPTION 'create_partition: "%" is not a partitioned table of the queue; use job_executions, jobs_archive or outbox_published', parent
      USING ERRCODE = 'invalid_parameter_value';
  END IF;

  child := parent || '_' || to_char(first_day::timestamp, 'YYYYMMDD');
  there := to_regclass(format('%I.%I', home, child));
  IF there IS NOT NULL THEN
    -- Without this error, the table would count as the partition, and every insert would fail.
    IF NOT EXISTS (SELECT FROM pg_inherits
                    WHERE inhrelid = there AND inhparent = to_regclass(format('%I.%I', home, parent)) AND NOT inhdetachpending) THEN
      RAISE EXCEPTION 'create_partition: "%" exists and is no partition of "%"; move it away', child, parent
        USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    RETURN false;
  END IF;

  EXECUTE format('CREATE TABLE %I.%I (LIKE %I.%I INCLUDING ALL) WITH (%s)', home, child, home, parent, storage);
  EXECUTE format('ALTER TABLE %I.%I ATTACH PARTITION %I.%I FOR VALUES FROM (%L) TO (%L)',
                 home, parent, home, child,
                 to_char(first_day::timestamp, 'YYYY-MM-DD') || ' 00:00:00+00', to_char(next_day::timestamp, 'YYYY-MM-DD') || ' 00:00:00+00');
  RETURN true;
EXCEPTION
  -- Another session created it between the check and the CREATE.
  WHEN duplicate_table OR unique_violation OR duplicate_object THEN
    RETURN false;
END;
  $body$);
END;
$install$;

DO $install$
BEGIN
  EXECUTE format($create$
CREATE FUNCTION create_partitions(ahead interval) RETURNS integer
  LANGUAGE plpgsql
  STRICT
  SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp
  SET standard_conforming_strings = on
  -- In UTC, each day of the argument has 24 hours. In the caller's time zone, it may have 23 or 25.
  SET timezone = 'UTC'
AS %L
  $create$, replace($body$
DECLARE
  created integer := 0;
  step    timestamptz := clock_timestamp();
  last    timestamptz;
BEGIN
  IF ahead NOT BETWEEN interval '0' AND interval '90 days' THEN
    RAISE EXCEPTION 'create_partitions: % ahead is not in 0..90 days', ahead USING ERRCODE = 'invalid_parameter_value';
  END IF;
  last := step + ahead;
  LOOP
    created := created + @create_partition('job_executions', step)::integer + @create_partition('jobs_archive', step)::integer;
    EXIT WHEN step >= last;
    step := LEAST(step + interval '24 hours', last);
  END LOOP;
  RETURN created;
END;
  $body$, '@', quote_ident(current_schema()) || '.'));
END;
$install$;

COMMENT ON FUNCTION create_partition(text, timestamptz) IS 'Creates the partition of job_executions, jobs_archive or outbox_published that contains an instant; returns false if it existed. The instant may be from 50 years ago to 366 days ahead.';
COMMENT ON FUNCTION create_partitions(interval) IS 'Creates the missing partitions of job_executions and jobs_archive from now until now + ahead, at most 90 days ahead; returns the number created.';

REVOKE ALL ON FUNCTION create_partition(text, timestamptz) FROM PUBLIC;
REVOKE ALL ON FUNCTION create_partitions(interval) FROM PUBLIC;

-- PERFORM, because Flyway logs the rows of a SELECT.
DO $$ BEGIN PERFORM create_partitions(interval '14 days'); END $$;
