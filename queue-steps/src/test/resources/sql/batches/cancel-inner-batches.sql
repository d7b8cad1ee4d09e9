-- parameters: batch
with
  "inner_batch" as materialized (
    select "skipjack"."job_batches"."id"
    from "skipjack"."job_batches"
    where (
      "skipjack"."job_batches"."owner_id" = ?
      and "skipjack"."job_batches"."succeeded" is null
      and "skipjack"."job_batches"."cancelled_at" is null
    )
    order by "skipjack"."job_batches"."id"
    for no key update skip locked
  ),
  "cancelled" as (
    update "skipjack"."job_batches"
    set
      "cancelled_at" = coalesce(
        "skipjack"."job_batches"."cancelled_at",
        clock_timestamp()
      ),
      "sealed_at" = coalesce(
        "skipjack"."job_batches"."sealed_at",
        clock_timestamp()
      )
    where (
      "skipjack"."job_batches"."id" = any (
        array(
          select "inner_batch"."id"
          from "inner_batch"
        )
      )
      and "skipjack"."job_batches"."finished_at" is null
    )
    returning "skipjack"."job_batches"."id"
  )
select "cancelled"."id"
from "cancelled"
