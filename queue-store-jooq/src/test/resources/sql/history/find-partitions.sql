-- parameters: parent
select
  "child"."relname",
  case
    when "inherits"."inhrelid" is null then 'detached'
    when "inherits"."inhdetachpending" then 'pending'
    else 'attached'
  end as "state",
  (obj_description("child"."oid", 'pg_class') is not distinct from 'Skipjack removes this table: its retention is over.') as "marked",
  to_char(
    timezone(
      'UTC',
      cast(
        (regexp_match(
          pg_get_expr("child"."relpartbound", "child"."oid"),
          '^FOR VALUES FROM \(''([^'']+)''\) TO \(''([^'']+)''\)$'
        ))[1]
        as timestamp with time zone
      )
    ),
    'YYYYMMDD HH24MISS.US'
  ) as "lower",
  to_char(
    timezone(
      'UTC',
      cast(
        (regexp_match(
          pg_get_expr("child"."relpartbound", "child"."oid"),
          '^FOR VALUES FROM \(''([^'']+)''\) TO \(''([^'']+)''\)$'
        ))[2]
        as timestamp with time zone
      )
    ),
    'YYYYMMDD HH24MISS.US'
  ) as "upper"
from "pg_catalog"."pg_class" as "parent"
  join "pg_catalog"."pg_namespace" as "namespace"
    on "namespace"."oid" = "parent"."relnamespace"
  join "pg_catalog"."pg_class" as "child"
    on (
      "child"."relnamespace" = "parent"."relnamespace"
      and "child"."relowner" = "parent"."relowner"
    )
  left outer join "pg_catalog"."pg_inherits" as "inherits"
    on "inherits"."inhrelid" = "child"."oid"
where (
  "namespace"."nspname" = 'skipjack'
  and "parent"."relname" = cast(? as text)
  and "parent"."relkind" = 'p'
  and "child"."relkind" = 'r'
  and (
    "inherits"."inhparent" = "parent"."oid"
    or (
      "inherits"."inhrelid" is null
      and obj_description("child"."oid", 'pg_class') is not distinct from 'Skipjack removes this table: its retention is over.'
    )
  )
  and (
    select array_agg(((cast("attribute"."attname" as text) || ' ') || format_type("attribute"."atttypid", "attribute"."atttypmod")) order by "attribute"."attnum")
    from "pg_catalog"."pg_attribute" as "attribute"
    where (
      "attribute"."attrelid" = "child"."oid"
      and "attribute"."attnum" > 0
      and not ("attribute"."attisdropped")
    )
  ) = (
    select array_agg(((cast("attribute"."attname" as text) || ' ') || format_type("attribute"."atttypid", "attribute"."atttypmod")) order by "attribute"."attnum")
    from "pg_catalog"."pg_attribute" as "attribute"
    where (
      "attribute"."attrelid" = "parent"."oid"
      and "attribute"."attnum" > 0
      and not ("attribute"."attisdropped")
    )
  )
)
order by "child"."relname"
