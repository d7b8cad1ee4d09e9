-- parameters: limit, group
select pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended((cast(? as text) || coalesce(
  ('/' || cast(? as text)),
  ''
)), 0))::text as "locked"
