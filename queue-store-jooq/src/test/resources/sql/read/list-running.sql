-- parameters: after, queues, queues, kinds, kinds, statuses, statuses, groups, groups, tags, tags, error, error, error_group, error_group, error_class, error_class, error_class, error_class, since, limit
with recursive
  "seen" as materialized (
    select
      "skipjack"."jobs"."id",
      (
        "skipjack"."jobs"."id" > ?
        and (
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
        row_number() over (order by "skipjack"."jobs"."current_execution_id")
        as bigint
      ) as "place"
    from "skipjack"."jobs"
    where "skipjack"."jobs"."status" = 'running'
    order by "skipjack"."jobs"."current_execution_id"
    fetch next 10001 rows only
  ),
  "horizon" as (
    select "seen"."id"
    from "seen"
    where "seen"."place" = 10001
    order by "seen"."id" asc
    fetch next 1 rows only
  ),
  "page" as (
    select "seen"."id"
    from "seen"
    where "seen"."matches"
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
