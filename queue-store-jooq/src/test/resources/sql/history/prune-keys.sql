-- parameters: batch
with
  "expired" as materialized (
    select "skipjack"."job_keys"."key"
    from "skipjack"."job_keys"
    where "skipjack"."job_keys"."expires_at" <= now()
    order by "skipjack"."job_keys"."expires_at"
    fetch next ? rows only
    for update skip locked
  ),
  "pruned" as (
    delete from "skipjack"."job_keys"
    where "skipjack"."job_keys"."key" = any (
      array(
        select "expired"."key"
        from "expired"
      )
    )
    returning "skipjack"."job_keys"."key"
  )
select count(*)
from "pruned"
