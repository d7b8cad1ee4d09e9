-- parameters: declared
select (
  select cast(extract(epoch from greatest(least("skipjack"."job_schedules"."due_at", clock_timestamp() + interval '100 days'), clock_timestamp() - interval '100 days') - clock_timestamp()) * 1000000 as bigint)
  from "skipjack"."job_schedules"
  where (
    (
      "skipjack"."job_schedules"."paused_at" is null
      or "skipjack"."job_schedules"."requested_at" is not null
    )
    and (
      not ("skipjack"."job_schedules"."in_code")
      or "skipjack"."job_schedules"."name" = any (
        cast(
          ?
          as text[]
        )
      )
    )
    and "skipjack"."job_schedules"."due_at" is not null
  )
  order by "skipjack"."job_schedules"."due_at"
  fetch next 1 rows only
)
