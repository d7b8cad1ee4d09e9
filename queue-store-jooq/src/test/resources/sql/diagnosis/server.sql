-- parameters: 
select
  pg_backend_pid() as "process",
  pg_is_in_recovery() as "standby",
  cast(
    current_user
    as text
  ) as "role",
  clock_timestamp()
