-- parameters: key, limit, key, delay, key, key, limit
with
  "added" as (
    insert into "skipjack"."job_rate_uses" ("limit_name", "group_key", "taken", "full_at")
    select
      "skipjack"."job_limits"."name",
      cast(? as text),
      0,
      greatest(
        (
          select "skipjack"."job_rate_uses"."full_at"
          from "skipjack"."job_rate_uses"
          where (
            "skipjack"."job_rate_uses"."limit_name" = cast(? as text)
            and "skipjack"."job_rate_uses"."group_key" = cast(? as text)
          )
          order by "skipjack"."job_rate_uses"."id" desc
          fetch next 1 rows only
        ),
        clock_timestamp() + cast((? + case
          when (
            "skipjack"."job_limits"."rate_count" is not null
            and ("skipjack"."job_limits"."rate_kind" = 'bucket')
            and (
              (
                "skipjack"."job_limits"."rate_per_group" = true
                and cast(? as text) <> ''
              )
              or (
                "skipjack"."job_limits"."rate_per_group" = false
                and cast(? as text) = ''
              )
            )
          ) then ((cast(
            coalesce("skipjack"."job_limits"."rate_burst", "skipjack"."job_limits"."rate_count")
            as bigint
          ) - 1) * cast(ceil(extract(epoch from "skipjack"."job_limits"."rate_period") * 1000000 / "skipjack"."job_limits"."rate_count") as bigint))
          else 0
        end) as double precision) * interval '1 microsecond'
      )
    from "skipjack"."job_limits"
    where "skipjack"."job_limits"."name" = cast(? as text)
    returning "skipjack"."job_rate_uses"."id"
  )
select "added"."id"
from "added"
