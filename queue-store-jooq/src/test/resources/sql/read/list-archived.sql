-- parameters: queues, queues, kinds, kinds, statuses, statuses, groups, groups, tags, tags, error, error, error_group, error_group, after_at, after, after_at, since, most, most, limit
with recursive
  "seen" as materialized (
    select
      "skipjack"."jobs_archive"."finished_at" as "at",
      "skipjack"."jobs_archive"."id",
      (
        (
          cardinality(cast(
            ?
            as text[]
          )) = 0
          or "skipjack"."jobs_archive"."queue" = any (
            cast(
              ?
              as text[]
            )
          )
        )
        and (
          cardinality(cast(
            ?
            as text[]
          )) = 0
          or "skipjack"."jobs_archive"."kind" = any (
            cast(
              ?
              as text[]
            )
          )
        )
        and (
          cardinality(cast(
            ?
            as text[]
          )) = 0
          or "skipjack"."jobs_archive"."status" = any (
            cast(
              ?
              as text[]
            )
          )
        )
        and (
          cardinality(cast(
            ?
            as text[]
          )) = 0
          or "skipjack"."jobs_archive"."group_key" = any (
            cast(
              ?
              as text[]
            )
          )
        )
        and (
          cardinality(cast(
            ?
            as text[]
          )) = 0
          or "skipjack"."jobs_archive"."tags" @> cast(
            ?
            as text[]
          )
        )
        and (
          cast(? as text) = ''
          or position(lower(cast(? as text)) in lower("skipjack"."jobs_archive"."last_error")) > 0
        )
        and (
          cast(? as text) = '
'
          or left(
            regexp_replace(((split_part(
              left(
                coalesce(
                  "skipjack"."jobs_archive"."last_error",
                  ''
                ),
                300
              ),
              '
',
              1
            )) collate "C"), '"[^"]*("|$)|(?<![[:alnum:]])''[^'']*(''|$)|[A-Za-z0-9_-]*[0-9][A-Za-z0-9_-]*', '*', 'g'),
            200
          ) = cast(? as text)
        )
      ) as "matches",
      cast(
        row_number() over (order by "skipjack"."jobs_archive"."finished_at" desc, "skipjack"."jobs_archive"."id" desc)
        as bigint
      ) as "place"
    from "skipjack"."jobs_archive"
    where (
      ("skipjack"."jobs_archive"."finished_at", "skipjack"."jobs_archive"."id") < (
        cast(? as timestamp with time zone),
        ?
      )
      and "skipjack"."jobs_archive"."finished_at" <= cast(? as timestamp with time zone)
      and "skipjack"."jobs_archive"."finished_at" >= cast(? as timestamp with time zone)
    )
    order by "skipjack"."jobs_archive"."finished_at" desc, "skipjack"."jobs_archive"."id" desc
    fetch next ? rows only
  ),
  "horizon" as (
    select "seen"."at", "seen"."id"
    from "seen"
    where "seen"."place" = ?
    order by "seen"."at" desc, "seen"."id" desc
    fetch next 1 rows only
  ),
  "page" as (
    select "seen"."at", "seen"."id"
    from "seen"
    where "seen"."matches"
    order by "seen"."at" desc, "seen"."id" desc
    fetch next ? rows only
  )
select
  "horizon"."at",
  "horizon"."id",
  "skipjack"."jobs_archive"."id",
  "skipjack"."jobs_archive"."status",
  "skipjack"."jobs_archive"."queue",
  "skipjack"."jobs_archive"."kind",
  "skipjack"."jobs_archive"."group_key",
  "skipjack"."jobs_archive"."priority",
  "skipjack"."jobs_archive"."attempts",
  "skipjack"."jobs_archive"."uncounted_attempts",
  "skipjack"."jobs_archive"."max_attempts",
  "skipjack"."jobs_archive"."created_at",
  "skipjack"."jobs_archive"."scheduled_at",
  "skipjack"."jobs_archive"."started_at",
  cast(null as timestamp with time zone) as "died_at",
  "skipjack"."jobs_archive"."finished_at",
  "skipjack"."jobs_archive"."worker_id",
  "skipjack"."jobs_archive"."last_error",
  "skipjack"."jobs_archive"."tags"
from (
  select 1 as "one"
) as "one"
  left outer join "horizon"
    on true
  left outer join "skipjack"."jobs_archive"
    on (
      "skipjack"."jobs_archive"."id" = any (
        array(
          select "page"."id"
          from "page"
        )
      )
      and "skipjack"."jobs_archive"."finished_at" >= (
        select min("page"."at")
        from "page"
      )
      and "skipjack"."jobs_archive"."finished_at" <= (
        select max("page"."at")
        from "page"
      )
    )
order by "skipjack"."jobs_archive"."finished_at" desc, "skipjack"."jobs_archive"."id" desc
