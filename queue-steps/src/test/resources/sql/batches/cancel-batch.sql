-- parameters: batch
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
  "skipjack"."job_batches"."id" = ?
  and "skipjack"."job_batches"."finished_at" is null
)
returning "skipjack"."job_batches"."id"
