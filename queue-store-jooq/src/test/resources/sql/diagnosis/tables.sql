-- parameters: 
select
  cast("tables"."relname" as text) as "relation",
  "tables"."n_live_tup",
  "tables"."n_dead_tup",
  cast("classes"."reltuples" as bigint) as "analyzed_rows",
  pg_indexes_size("tables"."relid") as "index_bytes"
from "pg_catalog"."pg_stat_all_tables" as "tables"
  join "pg_catalog"."pg_class" as "classes"
    on "classes"."oid" = "tables"."relid"
where "tables"."schemaname" = 'skipjack'
order by "tables"."n_dead_tup" desc, "tables"."relname"
fetch next 1000 rows only
