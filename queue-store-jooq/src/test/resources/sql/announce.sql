-- parameters: name, boot_id, host, pid, queues, kinds, settings, queues
with
  "announced" as (
    insert into "skipjack"."job_workers" (
      "name",
      "boot_id",
      "host",
      "pid",
      "queues",
      "kinds",
      "settings"
    )
    select
      cast(? as text),
      cast(
        cast(? as text)
        as uuid
      ),
      cast(? as text),
      ?,
      cast(
        ?
        as text[]
      ),
      cast(
        ?
        as text[]
      ),
      cast(
        cast(? as text)
        as jsonb
      )
    on conflict ("boot_id")
    do update
    set
      "name" = excluded."name",
      "host" = excluded."host",
      "pid" = excluded."pid",
      "queues" = excluded."queues",
      "kinds" = excluded."kinds",
      "settings" = excluded."settings",
      "seen_at" = clock_timestamp()
    returning "skipjack"."job_workers"."boot_id"
  )
select
  array(
    select cast("skipjack"."job_queues"."queue" as text)
    from "skipjack"."job_queues"
    where (
      "skipjack"."job_queues"."queue" = any (
        cast(
          ?
          as text[]
        )
      )
      and "skipjack"."job_queues"."paused_at" is not null
      and (
        "skipjack"."job_queues"."paused_until" is null
        or "skipjack"."job_queues"."paused_until" > now()
      )
    )
  ),
  "skipjack"."schema_version"(),
  current_setting('server_encoding'),
  (
    select cast(extract(epoch from greatest(least("skipjack"."job_schedules"."due_at", clock_timestamp() + interval '100 days'), clock_timestamp() - interval '100 days') - clock_timestamp()) * 1000000 as bigint)
    from "skipjack"."job_schedules"
    where (
      (
        "skipjack"."job_schedules"."paused_at" is null
        or "skipjack"."job_schedules"."requested_at" is not null
      )
      and "skipjack"."job_schedules"."due_at" is not null
    )
    order by "skipjack"."job_schedules"."due_at"
    fetch next 1 rows only
  ),
  (not exists (
    select 1 as "one"
    from "skipjack"."job_depths"
    where "skipjack"."job_depths"."minute" = date_trunc('minute', clock_timestamp())
  )),
  (exists (
    select 1 as "one"
    from "skipjack"."job_operations"
    where (
      "skipjack"."job_operations"."state" = 'running'
      and "skipjack"."job_operations"."updated_at" not between now() - interval '2 minutes' and now() + interval '2 minutes'
    )
  ))
