-- parameters: batches
select
  "skipjack"."job_batches"."id",
  ("skipjack"."job_batches"."cancelled_at" is not null) as "is_cancelled",
  (
    (
      not (
        (
          select "skipjack"."jobs"."id"
          from "skipjack"."jobs"
          where (
            "skipjack"."jobs"."owner_id" = "skipjack"."job_batches"."id"
            and "skipjack"."jobs"."status" >= 'pending'
            and "skipjack"."jobs"."status" <= 'pending'
          )
          order by "skipjack"."jobs"."status" desc, "skipjack"."jobs"."id" desc
          fetch next 1 rows only
        ) is not null
        or (
          select "skipjack"."jobs"."id"
          from "skipjack"."jobs"
          where (
            "skipjack"."jobs"."owner_id" = "skipjack"."job_batches"."id"
            and "skipjack"."jobs"."status" >= 'running'
            and "skipjack"."jobs"."status" <= 'running'
          )
          order by "skipjack"."jobs"."status" desc, "skipjack"."jobs"."id" desc
          fetch next 1 rows only
        ) is not null
        or (
          select "skipjack"."jobs"."id"
          from "skipjack"."jobs"
          where (
            "skipjack"."jobs"."owner_id" = "skipjack"."job_batches"."id"
            and "skipjack"."jobs"."status" >= 'waiting'
            and "skipjack"."jobs"."status" <= 'waiting'
          )
          order by "skipjack"."jobs"."status" desc, "skipjack"."jobs"."id" desc
          fetch next 1 rows only
        ) is not null
      )
      and not ((
        select "inner_batch"."id"
        from "skipjack"."job_batches" as "inner_batch"
        where (
          "inner_batch"."owner_id" = "skipjack"."job_batches"."id"
          and "inner_batch"."succeeded" is null
        )
        order by "inner_batch"."succeeded"
        fetch next 1 rows only
      ) is not null)
      and (
        "skipjack"."job_batches"."dead_policy" <> 'wait'
        or not ((
          select "skipjack"."jobs"."id"
          from "skipjack"."jobs"
          where (
            "skipjack"."jobs"."owner_id" = "skipjack"."job_batches"."id"
            and "skipjack"."jobs"."status" >= 'dead'
            and "skipjack"."jobs"."status" <= 'dead'
          )
          order by "skipjack"."jobs"."status" desc, "skipjack"."jobs"."id" desc
          fetch next 1 rows only
        ) is not null)
      )
    )
    or (
      "skipjack"."job_batches"."first_dead_at" is null
      and (
        select "skipjack"."jobs"."id"
        from "skipjack"."jobs"
        where (
          "skipjack"."jobs"."owner_id" = "skipjack"."job_batches"."id"
          and "skipjack"."jobs"."status" >= 'dead'
          and "skipjack"."jobs"."status" <= 'dead'
        )
        order by "skipjack"."jobs"."status" desc, "skipjack"."jobs"."id" desc
        fetch next 1 rows only
      ) is not null
    )
  ) as "is_ready"
from "skipjack"."job_batches"
where (
  "skipjack"."job_batches"."id" = any (
    cast(
      ?
      as bigint[]
    )
  )
  and "skipjack"."job_batches"."sealed_at" is not null
  and "skipjack"."job_batches"."finished_at" is null
)
