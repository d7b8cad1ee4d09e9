-- parameters: 
with
  "deleted" as (
    delete from "skipjack"."job_signals"
    where "skipjack"."job_signals"."id" = any (
      array(
        select "skipjack"."job_signals"."id"
        from "skipjack"."job_signals"
        where "skipjack"."job_signals"."expires_at" <= now()
        order by "skipjack"."job_signals"."expires_at"
        fetch next 1000 rows only
        for update skip locked
      )
    )
    returning "skipjack"."job_signals"."id"
  )
select count(*)
from "deleted"
