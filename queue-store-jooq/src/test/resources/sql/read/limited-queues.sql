-- parameters: 
with recursive
  "lane"("queue", "priority", "scheduled_at") as (
    select "first"."queue", "first"."priority", "first"."scheduled_at"
    from (
      select "skipjack"."jobs"."queue", "skipjack"."jobs"."priority", "skipjack"."jobs"."scheduled_at"
      from "skipjack"."jobs"
      where "skipjack"."jobs"."status" = 'pending'
      order by "skipjack"."jobs"."queue", "skipjack"."jobs"."priority", "skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id"
      fetch next 1 rows only
    ) as "first"
    union all
    select "next"."queue", "next"."priority", "next"."scheduled_at"
    from "lane"
      cross join lateral (
        select "skipjack"."jobs"."queue", "skipjack"."jobs"."priority", "skipjack"."jobs"."scheduled_at"
        from "skipjack"."jobs"
        where (
          "skipjack"."jobs"."status" = 'pending'
          and ("skipjack"."jobs"."queue", "skipjack"."jobs"."priority") > ("lane"."queue", "lane"."priority")
        )
        order by "skipjack"."jobs"."queue", "skipjack"."jobs"."priority", "skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id"
        fetch next 1 rows only
      ) as "next"
  )
select
  "skipjack"."job_queues"."queue",
  "skipjack"."job_queues"."limit_name",
  "skipjack"."job_limits"."max_running",
  "skipjack"."job_limits"."max_running_per_group",
  "skipjack"."job_limits"."rate_kind",
  "skipjack"."job_limits"."rate_count",
  cast(ceil(extract(epoch from "skipjack"."job_limits"."rate_period") * 1000000) as bigint) as "rate_period_us",
  "skipjack"."job_limits"."rate_burst",
  "skipjack"."job_limits"."rate_per_group",
  (
    select count(*)
    from (
      select 1 as "one"
      from "skipjack"."jobs"
      where (
        "skipjack"."jobs"."status" = 'running'
        and "skipjack"."jobs"."limit_name" = "skipjack"."job_queues"."limit_name"
      )
      fetch next greatest(10000, "skipjack"."job_limits"."max_running") rows only
    ) as "used"
  ) as "running",
  (
    select count(*)
    from (
      select 1 as "one"
      from "lane"
        cross join lateral (
          select 1 as "one"
          from "skipjack"."jobs"
          where (
            "skipjack"."jobs"."status" = 'pending'
            and "skipjack"."jobs"."queue" = "lane"."queue"
            and "skipjack"."jobs"."priority" = "lane"."priority"
            and "skipjack"."jobs"."scheduled_at" <= now()
          )
          fetch next 1000 rows only
        ) as "job"
      where "lane"."queue" = "skipjack"."job_queues"."queue"
      fetch next 1000 rows only
    ) as "due"
  ) as "due",
  (
    select case
      when case
        when (
          "skipjack"."job_limits"."rate_count" is not null
          and "skipjack"."job_limits"."rate_per_group" = false
          and ("skipjack"."job_limits"."rate_kind" = 'bucket')
        ) then greatest(
          (((cast(
            coalesce("skipjack"."job_limits"."rate_burst", "skipjack"."job_limits"."rate_count")
            as bigint
          ) * cast(ceil(extract(epoch from "skipjack"."job_limits"."rate_period") * 1000000 / "skipjack"."job_limits"."rate_count") as bigint)) - greatest(
            cast(coalesce(extract(epoch from "newest"."full_at" - statement_timestamp()) * 1000000, 0) as bigint),
            0
          )) / cast(ceil(extract(epoch from "skipjack"."job_limits"."rate_period") * 1000000 / "skipjack"."job_limits"."rate_count") as bigint)),
          0
        )
        when greatest(
          cast(coalesce(extract(epoch from "newest"."full_at" - statement_timestamp()) * 1000000, 0) as bigint),
          0
        ) > 0 then 0
        when (
          "skipjack"."job_limits"."rate_count" is not null
          and "skipjack"."job_limits"."rate_per_group" = false
        ) then greatest(
          (cast("skipjack"."job_limits"."rate_count" as bigint) - (
            select coalesce(
              cast(
                sum("recent"."taken")
                as bigint
              ),
              0
            )
            from (
              select "skipjack"."job_rate_uses"."taken", "skipjack"."job_rate_uses"."at"
              from "skipjack"."job_rate_uses"
              where (
                "skipjack"."job_rate_uses"."limit_name" = "skipjack"."job_limits"."name"
                and "skipjack"."job_rate_uses"."group_key" = ''
                and "skipjack"."job_rate_uses"."taken" > 0
              )
              order by "skipjack"."job_rate_uses"."id" desc
              fetch next "skipjack"."job_limits"."rate_count" rows only
            ) as "recent"
            where "recent"."at" >= case
              when ("skipjack"."job_limits"."rate_kind" = 'sliding') then statement_timestamp() - cast(cast(ceil(extract(epoch from "skipjack"."job_limits"."rate_period") * 1000000) as bigint) as double precision) * interval '1 microsecond'
              else date_bin(cast(cast(ceil(extract(epoch from "skipjack"."job_limits"."rate_period") * 1000000) as bigint) as double precision) * interval '1 microsecond', statement_timestamp(), timestamptz '2000-01-01 00:00:00+00')
            end
          )),
          0
        )
      end = 0 then statement_timestamp() + cast(case
        when (
          "skipjack"."job_limits"."rate_count" is not null
          and "skipjack"."job_limits"."rate_per_group" = false
          and ("skipjack"."job_limits"."rate_kind" = 'bucket')
        ) then (cast(coalesce(extract(epoch from "newest"."full_at" - statement_timestamp()) * 1000000, 0) as bigint) - ((cast(
          coalesce("skipjack"."job_limits"."rate_burst", "skipjack"."job_limits"."rate_count")
          as bigint
        ) - 1) * cast(ceil(extract(epoch from "skipjack"."job_limits"."rate_period") * 1000000 / "skipjack"."job_limits"."rate_count") as bigint)))
        when cast(coalesce(extract(epoch from "newest"."full_at" - statement_timestamp()) * 1000000, 0) as bigint) > 0 then cast(coalesce(extract(epoch from "newest"."full_at" - statement_timestamp()) * 1000000, 0) as bigint)
        when (
          "skipjack"."job_limits"."rate_count" is not null
          and "skipjack"."job_limits"."rate_per_group" = false
          and ("skipjack"."job_limits"."rate_kind" = 'sliding')
        ) then (cast(coalesce(extract(epoch from (
          select min("recent"."at")
          from (
            select "skipjack"."job_rate_uses"."taken", "skipjack"."job_rate_uses"."at"
            from "skipjack"."job_rate_uses"
            where (
              "skipjack"."job_rate_uses"."limit_name" = "skipjack"."job_limits"."name"
              and "skipjack"."job_rate_uses"."group_key" = ''
              and "skipjack"."job_rate_uses"."taken" > 0
            )
            order by "skipjack"."job_rate_uses"."id" desc
            fetch next "skipjack"."job_limits"."rate_count" rows only
          ) as "recent"
          where "recent"."at" >= case
            when ("skipjack"."job_limits"."rate_kind" = 'sliding') then statement_timestamp() - cast(cast(ceil(extract(epoch from "skipjack"."job_limits"."rate_period") * 1000000) as bigint) as double precision) * interval '1 microsecond'
            else date_bin(cast(cast(ceil(extract(epoch from "skipjack"."job_limits"."rate_period") * 1000000) as bigint) as double precision) * interval '1 microsecond', statement_timestamp(), timestamptz '2000-01-01 00:00:00+00')
          end
        ) - statement_timestamp()) * 1000000, 0) as bigint) + cast(ceil(extract(epoch from "skipjack"."job_limits"."rate_period") * 1000000) as bigint))
        when (
          "skipjack"."job_limits"."rate_count" is not null
          and "skipjack"."job_limits"."rate_per_group" = false
        ) then (cast(coalesce(extract(epoch from case
          when ("skipjack"."job_limits"."rate_kind" = 'sliding') then statement_timestamp() - cast(cast(ceil(extract(epoch from "skipjack"."job_limits"."rate_period") * 1000000) as bigint) as double precision) * interval '1 microsecond'
          else date_bin(cast(cast(ceil(extract(epoch from "skipjack"."job_limits"."rate_period") * 1000000) as bigint) as double precision) * interval '1 microsecond', statement_timestamp(), timestamptz '2000-01-01 00:00:00+00')
        end - statement_timestamp()) * 1000000, 0) as bigint) + cast(ceil(extract(epoch from "skipjack"."job_limits"."rate_period") * 1000000) as bigint))
      end as double precision) * interval '1 microsecond'
    end
    from (
      select (
        select case
          when "skipjack"."job_rate_uses"."taken" = 0 then "skipjack"."job_rate_uses"."full_at"
          when (
            "skipjack"."job_limits"."rate_count" is not null
            and "skipjack"."job_limits"."rate_per_group" = false
            and ("skipjack"."job_limits"."rate_kind" = 'bucket')
          ) then least(
            "skipjack"."job_rate_uses"."full_at",
            "skipjack"."job_rate_uses"."at" + cast((cast(
              coalesce("skipjack"."job_limits"."rate_burst", "skipjack"."job_limits"."rate_count")
              as bigint
            ) * cast(ceil(extract(epoch from "skipjack"."job_limits"."rate_period") * 1000000 / "skipjack"."job_limits"."rate_count") as bigint)) as double precision) * interval '1 microsecond'
          )
        end
        from "skipjack"."job_rate_uses"
        where (
          "skipjack"."job_rate_uses"."limit_name" = "skipjack"."job_limits"."name"
          and "skipjack"."job_rate_uses"."group_key" = ''
        )
        order by "skipjack"."job_rate_uses"."id" desc
        fetch next 1 rows only
      ) as "full_at"
    ) as "newest"
  ) as "opens_at"
from "skipjack"."job_queues"
  left outer join "skipjack"."job_limits"
    on "skipjack"."job_limits"."name" = "skipjack"."job_queues"."limit_name"
where (
  (
    "skipjack"."job_queues"."fair"
    or "skipjack"."job_queues"."limit_name" is not null
  )
  and not (
    "skipjack"."job_queues"."paused_at" is not null
    and (
      "skipjack"."job_queues"."paused_until" is null
      or "skipjack"."job_queues"."paused_until" > now()
    )
  )
)
order by "skipjack"."job_queues"."queue"
fetch next 1000 rows only
