-- parameters: count, batch
update "skipjack"."job_batches"
set
  "total" = ("skipjack"."job_batches"."total" + ?)
where (
  "skipjack"."job_batches"."id" = ?
  and "skipjack"."job_batches"."finished_at" is null
  and "skipjack"."job_batches"."cancelled_at" is null
)
returning "skipjack"."job_batches"."id"
