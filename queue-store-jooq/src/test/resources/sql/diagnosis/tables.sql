-- parameters: 
select
  cast("tables"."relname" as text) as "relation",
  "tables"."n_live_tup",
  "tables"."n_dead_tup",
  pg_indexes_size("tables"."relid") as "index_bytes"
from "pg_catalog"."pg_stat_all_tables" as "tables"
where "tables"."schemaname" = 'skipjack'
order by "tables"."n_dead_tup" desc, "tables"."relname"
fetch next 1000 rows only
