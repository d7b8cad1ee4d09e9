-- parameters: most, queues, queues, kinds, kinds, queues, queues, kinds, kinds, statuses, statuses, groups, groups, tags, tags, error, error, error_group, error_group, payload_path, payload_value, error_class, error_class, error_class, error_class, since, after, queues, queues, kinds, kinds, limit
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
    from "dead_group"
    where (
      (
        cardinality(cast(
          ?
          as text[]
        )) = 0
        or "dead_group"."queue" = any (
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
        or "dead_group"."kind" = any (
          cast(
            ?
            as text[]
          )
        )
      )
    )
  ),
  "seen" as materialized (
    select "dead"."id", "dead"."matches", "dead"."place"
    from "dead_group"
      cross join lateral (
        select
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
            row_number() over (order by "skipjack"."jobs"."id")
            as bigint
          ) as "place"
        from "skipjack"."jobs"
        where (
          "skipjack"."jobs"."status" = 'dead'
          and "skipjack"."jobs"."queue" = "dead_group"."queue"
          and "skipjack"."jobs"."kind" = "dead_group"."kind"
          and "skipjack"."jobs"."id" > ?
        )
        order by "skipjack"."jobs"."id"
        fetch next (
          select "share"."cut"
          from "share"
        ) rows only
      ) as "dead"
    where (
      (
        cardinality(cast(
          ?
          as text[]
        )) = 0
        or "dead_group"."queue" = any (
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
        or "dead_group"."kind" = any (
          cast(
            ?
            as text[]
          )
        )
      )
    )
  ),
  "horizon" as (
    select "seen"."id"
    from "seen"
    where "seen"."place" = (
      select "share"."cut"
      from "share"
    )
    order by "seen"."id" asc
    fetch next 1 rows only
  ),
  "page" as (
    select "seen"."id"
    from "seen"
    where (
      "seen"."matches"
      and (
        not exists (
          select 1 as "one"
          from "horizon"
        )
        or "seen"."id" <= (
          select "horizon"."id"
          from "horizon"
        )
      )
    )
    order by "seen"."id" asc
    fetch next ? rows only
  )
select
  cast(null as timestamp with time zone) as "at",
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
order by "skipjack"."jobs"."id"
