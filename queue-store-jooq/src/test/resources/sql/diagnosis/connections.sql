-- parameters: 
select
  cast(
    current_setting('max_connections')
    as int
  ) as "maximum",
  cast(
    current_setting('superuser_reserved_connections')
    as int
  ) as "for_superusers",
  cast(
    coalesce(
      current_setting('reserved_connections', true),
      '0'
    )
    as int
  ) as "for_others",
  (
    select cast(
      sum("databases"."numbackends")
      as bigint
    )
    from "pg_catalog"."pg_stat_database" as "databases"
  ) as "used"
