-- What:  schema_version(), the number of the newest migration that has run.
-- Why:   a worker calls it whenever it updates its row, and logs an error if the schema is older than it needs.
--        Each later migration replaces the function.
-- Locks: creates only. Undo: DROP FUNCTION schema_version.

CREATE FUNCTION schema_version() RETURNS integer
  LANGUAGE sql
  STABLE PARALLEL SAFE
AS $$
  SELECT 9
$$;

COMMENT ON FUNCTION schema_version() IS 'Returns the number of the newest migration that was run in this schema.';
