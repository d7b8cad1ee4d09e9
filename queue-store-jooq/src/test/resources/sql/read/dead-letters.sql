-- parameters: 
with recursive
  "dead_group"("queue", "kind") as (
    select "first"."queue", "first"."kind"
    from (
      select "skipjack"."jobs"."queue", "skipjack"."jobs"."kind"
      from "skipjack"."jobs"
      where "skipjack"."jobs"."status" = 'dead'
      order by "skipjack"."jobs"."queue", "skipjack"."jobs"."kind", "skipjack"."jobs"."id"
      fetch next 1 rows only
    ) as "first"
    union all
    select "next"."queue", "next"."kind"
    from "dead_group"
      cross join lateral (
        select "skipjack"."jobs"."queue", "skipjack"."jobs"."kind"
        from "skipjack"."jobs"
        where (
          "skipjack"."jobs"."status" = 'dead'
          and ("skipjack"."jobs"."queue", "skipjack"."jobs"."kind") > ("dead_group"."queue", "dead_group"."kind")
        )
        order by "skipjack"."jobs"."queue", "skipjack"."jobs"."kind", "skipjack"."jobs"."id"
        fetch next 1 rows only
      ) as "next"
  ),
  "letters" as (
    select
      "seen"."queue",
      "seen"."kind",
      "seen"."error_class",
      "seen"."error",
      count(*) as "jobs",
      (sum(count(*)) over (partition by "seen"."queue", "seen"."kind") > 10000) as "more",
      max("seen"."id") as "example",
      min("seen"."died_at") as "first_died_at",
      max("seen"."died_at") as "last_died_at"
    from "dead_group"
      cross join lateral (
        select
          "skipjack"."jobs"."queue",
          "skipjack"."jobs"."kind",
          "skipjack"."jobs"."id",
          "skipjack"."jobs"."last_error_class" as "error_class",
          left(
            regexp_replace(((split_part(
              left(
                coalesce("skipjack"."jobs"."last_error", ''),
                300
              ),
              '
',
              1
            )) collate "C"), '"[^"]*("|$)|(?<![[:alnum:]])''[^'']*(''|$)|[A-Za-z0-9_-]*[0-9][A-Za-z0-9_-]*', '*', 'g'),
            200
          ) as "error",
          coalesce("skipjack"."jobs"."died_at", "skipjack"."jobs"."updated_at") as "died_at"
        from "skipjack"."jobs"
        where (
          "skipjack"."jobs"."status" = 'dead'
          and "skipjack"."jobs"."queue" = "dead_group"."queue"
          and "skipjack"."jobs"."kind" = "dead_group"."kind"
        )
        order by "skipjack"."jobs"."queue" desc, "skipjack"."jobs"."kind" desc, "skipjack"."jobs"."id" desc
        fetch next 10001 rows only
      ) as "seen"
    group by "seen"."queue", "seen"."kind", "seen"."error_class", "seen"."error"
    order by
      count(*) desc,
      "seen"."queue",
      "seen"."kind",
      "seen"."error",
      "seen"."error_class"
    fetch next 1000 rows only
  )
select
  "letters"."queue",
  "letters"."kind",
  "letters"."error_class",
  "letters"."error",
  "letters"."jobs",
  "letters"."more",
  "letters"."example",
  "letters"."first_died_at",
  "letters"."last_died_at"
from "letters"
order by
  "letters"."jobs" desc,
  "letters"."queue",
  "letters"."kind",
  "letters"."error",
  "letters"."error_class"
