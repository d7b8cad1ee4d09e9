-- parameters: stripes
select pg_catalog.pg_advisory_xact_lock(cast(cast('"skipjack"."jobs"' as pg_catalog.regclass) as integer), "given"."stripe")
from pg_catalog.unnest(cast(
  ?
  as int[]
)) as "given" ("stripe")
