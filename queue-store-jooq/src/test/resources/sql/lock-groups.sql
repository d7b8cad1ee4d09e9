-- parameters: groups, limit, limit
select "given"."position"
from pg_catalog.unnest(cast(
  ?
  as text[]
)) with ordinality as "given" ("group_key", "position")
where (
  (pg_catalog.pg_try_advisory_xact_lock_shared(pg_catalog.hashtextextended(cast(? as text), 1)))
  and (pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtextextended((cast(? as text) || coalesce(
    ('/' || "given"."group_key"),
    ''
  )), 0)))
)
