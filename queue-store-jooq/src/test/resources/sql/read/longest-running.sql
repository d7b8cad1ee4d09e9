-- parameters: at_least, limit
select
  "skipjack"."jobs"."id",
  "skipjack"."jobs"."status",
  "skipjack"."jobs"."queue",
  "skipjack"."jobs"."kind",
  "skipjack"."jobs"."group_key",
  "skipjack"."jobs"."priority",
  "skipjack"."jobs"."attempts",
  "skipjack"."jobs"."uncounted_attempts",
  "skipjack"."jobs"."max_attempts",
  "skipjack"."jobs"."created_at",
  "skipjack"."jobs"."scheduled_at",
  "skipjack"."jobs"."started_at",
  "skipjack"."jobs"."died_at",
  cast(null as timestamp with time zone) as "finished_at",
  "skipjack"."jobs"."locked_by",
  "skipjack"."jobs"."last_error",
  "skipjack"."jobs"."tags",
  "process"."host",
  "process"."pid",
  now() as "now",
  "skipjack"."job_stacks"."sampled_at",
  left("skipjack"."job_stacks"."stack", 2000) as "stack",
  "skipjack"."job_stacks"."problem"
from "skipjack"."jobs"
  left outer join lateral (
    select "skipjack"."job_workers"."host", "skipjack"."job_workers"."pid"
    from "skipjack"."job_workers"
    where (("skipjack"."job_workers"."name" || '/') || left(
      cast("skipjack"."job_workers"."boot_id" as text),
      8
    )) = "skipjack"."jobs"."locked_by"
    order by "skipjack"."job_workers"."seen_at" desc
    fetch next 1 rows only
  ) as "process"
    on true
  left outer join "skipjack"."job_stacks"
    on (
      "skipjack"."job_stacks"."execution_id" = "skipjack"."jobs"."current_execution_id"
      and "skipjack"."job_stacks"."job_id" = "skipjack"."jobs"."id"
    )
where (
  "skipjack"."jobs"."id" = any (
    array(
      select "oldest"."id"
      from (
        select "skipjack"."jobs"."id", "skipjack"."jobs"."started_at"
        from "skipjack"."jobs"
        where "skipjack"."jobs"."status" = 'running'
        order by "skipjack"."jobs"."current_execution_id"
        fetch next 10000 rows only
      ) as "oldest"
      where "oldest"."started_at" <= now() - cast(? as double precision) * interval '1 microsecond'
      order by "oldest"."started_at", "oldest"."id"
      fetch next ? rows only
    )
  )
  and "skipjack"."jobs"."status" = 'running'
)
order by "skipjack"."jobs"."started_at", "skipjack"."jobs"."id"
