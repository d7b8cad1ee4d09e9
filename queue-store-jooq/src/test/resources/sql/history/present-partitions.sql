-- parameters: parents
select
  clock_timestamp(),
  array(
    select cast("child"."relname" as text)
    from "pg_catalog"."pg_class" as "parent"
      join "pg_catalog"."pg_inherits" as "inherits"
        on "inherits"."inhparent" = "parent"."oid"
      join "pg_catalog"."pg_class" as "child"
        on (
          "child"."oid" = "inherits"."inhrelid"
          and "child"."relnamespace" = "parent"."relnamespace"
        )
    where (
      "parent"."relnamespace" = (
        select "anchor"."relnamespace"
        from "pg_catalog"."pg_class" as "anchor"
        where "anchor"."oid" = cast('"skipjack"."jobs"' as pg_catalog.regclass)
      )
      and "parent"."relname" = any (
        cast(
          ?
          as text[]
        )
      )
      and not ("inherits"."inhdetachpending")
    )
  ) as "partitions"
