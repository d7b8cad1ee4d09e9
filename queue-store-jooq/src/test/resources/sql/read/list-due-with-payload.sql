-- parameters: queue, queue, most, queues, queues, kinds, kinds, statuses, statuses, groups, groups, tags, tags, error, error, error_group, error_group, payload_path, payload_value, error_class, error_class, error_class, error_class, since, after_at, after, limit
with recursive
  "lane"("queue", "priority") as (
    select "first"."queue", "first"."priority"
    from (
      select "skipjack"."jobs"."queue", "skipjack"."jobs"."priority"
      from "skipjack"."jobs"
      where (
        "skipjack"."jobs"."status" = 'pending'
        and "skipjack"."jobs"."queue" = cast(? as text)
      )
      order by "skipjack"."jobs"."queue", "skipjack"."jobs"."priority", "skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id"
      fetch next 1 rows only
    ) as "first"
    union all
    select "next"."queue", "next"."priority"
    from "lane"
      cross join lateral (
        select "skipjack"."jobs"."queue", "skipjack"."jobs"."priority"
        from "skipjack"."jobs"
        where (
          "skipjack"."jobs"."status" = 'pending'
          and "skipjack"."jobs"."queue" = cast(? as text)
          and ("skipjack"."jobs"."queue", "skipjack"."jobs"."priority") > ("lane"."queue", "lane"."priority")
        )
        order by "skipjack"."jobs"."queue", "skipjack"."jobs"."priority", "skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id"
        fetch next 1 rows only
      ) as "next"
  ),
  "share" as (
    select greatest(
      least(
        ?,
        (10000 / nullif(
          count(*),
          0
        ))
      ),
      1
    ) as "cut"
    from "lane"
  ),
  "seen" as materialized (
    select "due"."at", "due"."id", "due"."matches", "due"."place"
    from "lane"
      cross join lateral (
        select
          "skipjack"."jobs"."scheduled_at" as "at",
          "skipjack"."jobs"."id",
          (
            (
              cardinality(cast(
                ?
                as text[]
              )) = 0
              or "skipjack"."jobs"."queue" = any (
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
              or "skipjack"."jobs"."kind" = any (
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
              or "skipjack"."jobs"."status" = any (
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
              or "skipjack"."jobs"."group_key" = any (
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
              or "skipjack"."jobs"."tags" @> cast(
                ?
                as text[]
              )
            )
            and (
              cast(? as text) = ''
              or position(lower(cast(? as text)) in lower("skipjack"."jobs"."last_error")) > 0
            )
            and (
              cast(? as text) = '
'
              or left(
                regexp_replace(((split_part(
                  left(
                    coalesce(
                      "skipjack"."jobs"."last_error",
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
            and "skipjack"."jobs"."payload" #>> cast(
              ?
              as text[]
            ) = cast(? as text)
            and (
              cast(? as text) = ''
              or "skipjack"."jobs"."last_error_class" = cast(? as text)
              or right(
                "skipjack"."jobs"."last_error_class",
                (char_length(cast(? as text)) + 1)
              ) = ('.' || cast(? as text))
            )
            and "skipjack"."jobs"."created_at" >= cast(? as timestamp with time zone)
          ) as "matches",
          cast(
            row_number() over (order by "skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id")
            as bigint
          ) as "place"
        from "skipjack"."jobs"
        where (
          "skipjack"."jobs"."status" = 'pending'
          and "skipjack"."jobs"."queue" = "lane"."queue"
          and "skipjack"."jobs"."priority" = "lane"."priority"
          and ("skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id") > (
            cast(? as timestamp with time zone),
            ?
          )
        )
        order by "skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id"
        fetch next (
          select "share"."cut"
          from "share"
        ) rows only
      ) as "due"
  ),
  "horizon" as (
    select "seen"."at", "seen"."id"
    from "seen"
    where "seen"."place" = (
      select "share"."cut"
      from "share"
    )
    order by "seen"."at" asc, "seen"."id" asc
    fetch next 1 rows only
  ),
  "page" as (
    select "seen"."at", "seen"."id"
    from "seen"
    where (
      "seen"."matches"
      and (
        not exists (
          select 1 as "one"
          from "horizon"
        )
        or ("seen"."at", "seen"."id") <= (
          select "horizon"."at", "horizon"."id"
          from "horizon"
        )
      )
    )
    order by "seen"."at" asc, "seen"."id" asc
    fetch next ? rows only
  )
select
  "horizon"."at",
  "horizon"."id",
  "skipjack"."jobs"."id",
  "skipjack"."jobs"."status",
  "skipjack"."jobs"."queue",
  "skipjack"."jobs"."kind",
  "skipjack"."jobs"."group_key",
  "skipjack"."jobs"."priority",
  "skipjack"."jobs"."attempts",
  "skipjack"."jobs"."uncounted_attempts",
  "skipjack"."jobs"."max_attempts",
  "skipjack"."jobs"."created_at",
  "skipjack"."jobs"."scheduled_at",
  "skipjack"."jobs"."started_at",
  "skipjack"."jobs"."died_at",
  cast(null as timestamp with time zone) as "finished_at",
  "skipjack"."jobs"."locked_by",
  "skipjack"."jobs"."last_error",
  "skipjack"."jobs"."tags"
from (
  select 1 as "one"
) as "one"
  left outer join "horizon"
    on true
  left outer join "skipjack"."jobs"
    on "skipjack"."jobs"."id" = any (
      array(
        select "page"."id"
        from "page"
      )
    )
order by "skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id"
