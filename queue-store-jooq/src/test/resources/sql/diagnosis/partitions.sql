-- parameters: 
select
  cast("child"."relname" as text) as "partition",
  "inherits"."inhdetachpending",
  (exists (
    select 1 as "one"
    from "skipjack"."outbox_shards"
    where "skipjack"."outbox_shards"."lease_id" <> 0
  )) as "is_outbox_used"
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
    'job_executions', 'jobs_archive', 'outbox_published'
  )
  and "child"."relkind" = 'r'
)
order by "partition"
