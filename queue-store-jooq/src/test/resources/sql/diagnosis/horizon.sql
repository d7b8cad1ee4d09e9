-- parameters: 
select
  'session' as "what",
  cast("activity"."pid" as text) as "id",
  cast("activity"."usename" as text) as "owner",
  greatest(
    age("activity"."backend_xid"),
    age("activity"."backend_xmin")
  ) as "xmin_age",
  "activity"."xact_start" as "since",
  left("activity"."query", 100) as "query",
  now() as "now"
from "pg_catalog"."pg_stat_activity" as "activity"
where (
  "activity"."pid" <> pg_backend_pid()
  and "activity"."query" not like 'autovacuum: VACUUM%'
  and "activity"."query" not ilike 'vacuum%'
  and (
    (
      (
        cast("activity"."datname" as text) = current_database()
        or cast("activity"."datname" as text) is null
      )
      and (
        "activity"."backend_xid" is not null
        or "activity"."backend_xmin" is not null
      )
    )
    or (
      cast("activity"."datname" as text) = current_database()
      and "activity"."query" = '<insufficient privilege>'
    )
  )
)
union all
select
  'prepared',
  cast("prepared"."gid" as text),
  cast("prepared"."owner" as text),
  age("prepared"."transaction"),
  "prepared"."prepared",
  cast(null as text),
  now()
from "pg_catalog"."pg_prepared_xacts" as "prepared"
where cast("prepared"."database" as text) = current_database()
union all
select
  'slot',
  cast("slots"."slot_name" as text),
  cast(null as text),
  age("slots"."xmin"),
  cast(null as timestamp with time zone),
  cast(null as text),
  now()
from "pg_catalog"."pg_replication_slots" as "slots"
where "slots"."xmin" is not null
order by 4 desc nulls last
fetch next 1000 rows only
