-- parameters: limit
select cast(
  pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended(cast(? as text), 1))
  as text
) as "locked"
