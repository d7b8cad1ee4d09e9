-- parameters: most, most, most, most, batch, limit
select
  "skipjack"."job_batches"."id",
  "skipjack"."job_batches"."name",
  "skipjack"."job_batches"."owner_id",
  ((
    select "outer_batch"."id"
    from "skipjack"."job_batches" as "outer_batch"
    where "outer_batch"."id" = "skipjack"."job_batches"."owner_id"
  ) is not null) as "is_in_batch",
  "skipjack"."job_batches"."total",
  "skipjack"."job_batches"."dead_policy",
  "skipjack"."job_batches"."created_at",
  "skipjack"."job_batches"."sealed_at",
  "skipjack"."job_batches"."finished_at",
  "skipjack"."job_batches"."first_dead_at",
  "skipjack"."job_batches"."cancelled_at",
  "skipjack"."job_batches"."succeeded",
  (
    select count(*)
    from (
      select "skipjack"."jobs"."id"
      from "skipjack"."jobs"
      where (
        "skipjack"."jobs"."owner_id" = "skipjack"."job_batches"."id"
        and "skipjack"."jobs"."status" >= 'pending'
        and "skipjack"."jobs"."status" <= 'pending'
      )
      order by "skipjack"."jobs"."status", "skipjack"."jobs"."id"
      fetch next ? rows only
    ) as "some_jobs"
  ) as "pending",
  (
    select count(*)
    from (
      select "skipjack"."jobs"."id"
      from "skipjack"."jobs"
      where (
        "skipjack"."jobs"."owner_id" = "skipjack"."job_batches"."id"
        and "skipjack"."jobs"."status" >= 'running'
        and "skipjack"."jobs"."status" <= 'running'
      )
      order by "skipjack"."jobs"."status", "skipjack"."jobs"."id"
      fetch next ? rows only
    ) as "some_jobs"
  ) as "running",
  (
    select count(*)
    from (
      select "skipjack"."jobs"."id"
      from "skipjack"."jobs"
      where (
        "skipjack"."jobs"."owner_id" = "skipjack"."job_batches"."id"
        and "skipjack"."jobs"."status" >= 'waiting'
        and "skipjack"."jobs"."status" <= 'waiting'
      )
      order by "skipjack"."jobs"."status", "skipjack"."jobs"."id"
      fetch next ? rows only
    ) as "some_jobs"
  ) as "waiting",
  (
    select count(*)
    from (
      select "skipjack"."jobs"."id"
      from "skipjack"."jobs"
      where (
        "skipjack"."jobs"."owner_id" = "skipjack"."job_batches"."id"
        and "skipjack"."jobs"."status" >= 'dead'
        and "skipjack"."jobs"."status" <= 'dead'
      )
      order by "skipjack"."jobs"."status", "skipjack"."jobs"."id"
      fetch next ? rows only
    ) as "some_jobs"
  ) as "dead"
from "skipjack"."job_batches"
where "skipjack"."job_batches"."id" = ?
order by "skipjack"."job_batches"."id"
fetch next ? rows only
