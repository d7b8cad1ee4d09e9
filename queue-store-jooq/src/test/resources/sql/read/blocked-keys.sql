-- parameters: 
with
  "blocked" as materialized (
    select
      "skipjack"."jobs"."id",
      "skipjack"."jobs"."ordering_key",
      "skipjack"."jobs"."queue",
      "skipjack"."jobs"."kind",
      coalesce("skipjack"."jobs"."died_at", "skipjack"."jobs"."updated_at") as "died_at",
      "skipjack"."jobs"."last_error"
    from "skipjack"."jobs"
    where (
      "skipjack"."jobs"."ordering_head"
      and "skipjack"."jobs"."status" = 'dead'
      and "skipjack"."jobs"."ordering_key" is not null
    )
    order by "skipjack"."jobs"."ordering_key"
    fetch next 1000 rows only
  )
select
  "blocked"."id",
  "blocked"."ordering_key",
  "blocked"."queue",
  "blocked"."kind",
  "blocked"."died_at",
  "blocked"."last_error",
  (
    select count(*)
    from (
      select 1 as "one"
      from "skipjack"."jobs"
      where (
        "skipjack"."jobs"."status" = 'waiting'
        and "skipjack"."jobs"."ordering_key" = "blocked"."ordering_key"
      )
      fetch next 1000 rows only
    ) as "behind"
  ) as "waiting"
from "blocked"
order by "blocked"."ordering_key"
