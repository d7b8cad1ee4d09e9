-- parameters: 
select
  current_setting('fsync') as "fsync",
  current_setting('full_page_writes') as "full_page_writes",
  current_setting('synchronous_commit') as "synchronous_commit",
  cast(
    current_setting('max_connections')
    as int
  ) as "max_connections",
  cast(
    current_setting('superuser_reserved_connections')
    as int
  ) as "superuser_reserved_connections",
  (
    select cast(
      sum("databases"."numbackends")
      as bigint
    )
    from "pg_catalog"."pg_stat_database" as "databases"
  ) as "used",
  pg_notification_queue_usage() as "notify_queue",
  pg_backend_pid() as "process",
  pg_is_in_recovery() as "standby",
  clock_timestamp()
