-- parameters: limit, limit
select "skipjack"."job_limits"."name"
from "skipjack"."job_limits"
where (
  "skipjack"."job_limits"."name" = cast(? as text)
  and (pg_catalog.pg_try_advisory_xact_lock_shared(pg_catalog.hashtextextended(cast(? as text), 1)))
)
