-- What:  schema_version(), the number of the newest migration that has run.
-- Why:   a worker calls it whenever it updates its row, so that one which was deployed before its migration, or left behind by a later
--        one, says so. Each later migration replaces the function.
-- Locks: creates only. Undo: DROP FUNCTION schema_version.

CREATE FUNCTION schema_version() RETURNS integer
  LANGUAGE sql
  STABLE PARALLEL SAFE
AS $$
  SELECT 8
$$;

COMMENT ON FUNCTION schema_version() IS 'Returns the number of the newest migration that was run in this schema.';
