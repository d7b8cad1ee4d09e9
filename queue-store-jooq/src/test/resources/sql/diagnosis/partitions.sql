-- parameters: 
select
  cast("child"."relname" as text) as "partition",
  "inherits"."inhdetachpending"
from "pg_catalog"."pg_class" as "parent"
  join "pg_catalog"."pg_namespace" as "namespace"
    on "namespace"."oid" = "parent"."relnamespace"
  join "pg_catalog"."pg_inherits" as "inherits"
    on "inherits"."inhparent" = "parent"."oid"
  join "pg_catalog"."pg_class" as "child"
    on "child"."oid" = "inherits"."inhrelid"
where (
  "namespace"."nspname" = 'skipjack'
  and "parent"."relname" in (
    'job_executions', 'jobs_archive'
  )
  and "child"."relkind" = 'r'
)
order by "partition"
