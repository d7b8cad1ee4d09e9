-- parameters: 
select distinct "virtualtransaction"
from "pg_catalog"."pg_locks"
where (
  "locktype" = 'relation'
  and "relation" = cast('"skipjack"."outbox_events"' as pg_catalog.regclass)
  and "mode" = 'RowExclusiveLock'
  and "granted"
  and "database" = (select oid from pg_catalog.pg_database where datname = pg_catalog.current_database())
)
