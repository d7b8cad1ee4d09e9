-- parameters: from, to, after, batch, from, to, queues, cutoffs, others
with
  "page" as materialized (
    select "skipjack"."jobs_archive"."id", "skipjack"."jobs_archive"."finished_at", "skipjack"."jobs_archive"."queue", "skipjack"."jobs_archive"."owner_id"
    from "skipjack"."jobs_archive"
    where (
      "skipjack"."jobs_archive"."finished_at" >= cast(? as timestamp with time zone)
      and "skipjack"."jobs_archive"."finished_at" < cast(? as timestamp with time zone)
      and "skipjack"."jobs_archive"."id" > ?
    )
    order by "skipjack"."jobs_archive"."id"
    fetch next ? rows only
  ),
  "swept" as (
    delete from "skipjack"."jobs_archive"
    where (
      "skipjack"."jobs_archive"."finished_at" >= cast(? as timestamp with time zone)
      and "skipjack"."jobs_archive"."finished_at" < cast(? as timestamp with time zone)
      and "skipjack"."jobs_archive"."id" = any (
        array(
          select "page"."id"
          from "page"
          where (
            "page"."finished_at" < coalesce(
              (
                select "own"."cutoff"
                from unnest(cast(
                  ?
                  as text[]
                ), cast(
                  ?
                  as timestamp with time zone[]
                )) as "own" ("queue", "cutoff")
                where "own"."queue" = "page"."queue"
              ),
              cast(? as timestamp with time zone)
            )
            and not exists (
              select 1 as "one"
              from "skipjack"."job_batches"
              where "skipjack"."job_batches"."id" = "page"."owner_id"
            )
          )
        )
      )
    )
    returning "skipjack"."jobs_archive"."id"
  )
select
  (
    select count(*)
    from "swept"
  ) as "deleted",
  count(*) as "read",
  max("page"."id") as "last"
from "page"
