-- parameters: group, group, group, group, group, group, group, group, queue, priority, scheduled_at, id, group, queue, priority, scheduled_at, id, group, queue
select
  "skipjack"."job_queues"."limit_name",
  "skipjack"."job_limits"."max_running",
  "skipjack"."job_limits"."max_running_per_group",
  "skipjack"."job_limits"."rate_kind",
  "skipjack"."job_limits"."rate_count",
  cast(ceil(extract(epoch from "skipjack"."job_limits"."rate_period") * 1000000) as bigint) as "rate_period_us",
  "skipjack"."job_limits"."rate_burst",
  "skipjack"."job_limits"."rate_per_group",
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
  ) as "opens_at",
  (
    select case
      when case
        when (
          "skipjack"."job_limits"."rate_count" is not null
          and "skipjack"."job_limits"."rate_per_group" = true
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
          and "skipjack"."job_limits"."rate_per_group" = true
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
                and "skipjack"."job_rate_uses"."group_key" = ('/' || coalesce(
                  cast(? as text),
                  ''
                ))
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
          and "skipjack"."job_limits"."rate_per_group" = true
          and ("skipjack"."job_limits"."rate_kind" = 'bucket')
        ) then (cast(coalesce(extract(epoch from "newest"."full_at" - statement_timestamp()) * 1000000, 0) as bigint) - ((cast(
          coalesce("skipjack"."job_limits"."rate_burst", "skipjack"."job_limits"."rate_count")
          as bigint
        ) - 1) * cast(ceil(extract(epoch from "skipjack"."job_limits"."rate_period") * 1000000 / "skipjack"."job_limits"."rate_count") as bigint)))
        when cast(coalesce(extract(epoch from "newest"."full_at" - statement_timestamp()) * 1000000, 0) as bigint) > 0 then cast(coalesce(extract(epoch from "newest"."full_at" - statement_timestamp()) * 1000000, 0) as bigint)
        when (
          "skipjack"."job_limits"."rate_count" is not null
          and "skipjack"."job_limits"."rate_per_group" = true
          and ("skipjack"."job_limits"."rate_kind" = 'sliding')
        ) then (cast(coalesce(extract(epoch from (
          select min("recent"."at")
          from (
            select "skipjack"."job_rate_uses"."taken", "skipjack"."job_rate_uses"."at"
            from "skipjack"."job_rate_uses"
            where (
              "skipjack"."job_rate_uses"."limit_name" = "skipjack"."job_limits"."name"
              and "skipjack"."job_rate_uses"."group_key" = ('/' || coalesce(
                cast(? as text),
                ''
              ))
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
          and "skipjack"."job_limits"."rate_per_group" = true
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
            and "skipjack"."job_limits"."rate_per_group" = true
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
          and "skipjack"."job_rate_uses"."group_key" = ('/' || coalesce(
            cast(? as text),
            ''
          ))
        )
        order by "skipjack"."job_rate_uses"."id" desc
        fetch next 1 rows only
      ) as "full_at"
    ) as "newest"
  ) as "group_opens_at",
  "skipjack"."job_groups"."max_running" as "group_max_running",
  "skipjack"."job_groups"."paused_at" as "group_paused_at",
  (
    select count(*)
    from (
      select 1 as "one"
      from "skipjack"."jobs"
      where (
        "skipjack"."jobs"."status" = 'running'
        and "skipjack"."jobs"."limit_name" = "skipjack"."job_queues"."limit_name"
      )
      fetch next greatest(10001, "skipjack"."job_limits"."max_running", "skipjack"."job_limits"."max_running_per_group", "skipjack"."job_groups"."max_running") rows only
    ) as "counted"
  ) as "running",
  array(
    select cast("skipjack"."jobs"."id" as text)
    from "skipjack"."jobs"
    where (
      "skipjack"."jobs"."status" = 'running'
      and "skipjack"."jobs"."limit_name" = "skipjack"."job_queues"."limit_name"
    )
    order by "skipjack"."jobs"."current_execution_id"
    fetch next 3 rows only
  ) as "ids",
  (
    select count(*)
    from (
      select 1 as "one"
      from "skipjack"."jobs"
      where (
        "skipjack"."jobs"."status" = 'running'
        and "skipjack"."jobs"."limit_name" = "skipjack"."job_queues"."limit_name"
        and (
          "skipjack"."jobs"."group_key" = cast(? as text)
          or (
            cast(? as text) is null
            and "skipjack"."jobs"."group_key" is null
          )
        )
      )
      fetch next greatest(10001, "skipjack"."job_limits"."max_running", "skipjack"."job_limits"."max_running_per_group", "skipjack"."job_groups"."max_running") rows only
    ) as "counted"
  ) as "running_of_group",
  array(
    select cast("skipjack"."jobs"."id" as text)
    from "skipjack"."jobs"
    where (
      "skipjack"."jobs"."status" = 'running'
      and "skipjack"."jobs"."limit_name" = "skipjack"."job_queues"."limit_name"
      and (
        "skipjack"."jobs"."group_key" = cast(? as text)
        or (
          cast(? as text) is null
          and "skipjack"."jobs"."group_key" is null
        )
      )
    )
    order by "skipjack"."jobs"."current_execution_id"
    fetch next 3 rows only
  ) as "ids_of_group",
  case
    when cast(? as text) is null then (
      select count(*)
      from (
        select 1 as "one"
        from (
          select "skipjack"."jobs"."group_key"
          from "skipjack"."jobs"
          where (
            "skipjack"."jobs"."status" = 'pending'
            and "skipjack"."jobs"."queue" = cast(? as text)
            and "skipjack"."jobs"."priority" = cast(? as smallint)
            and ("skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id") < (
              cast(? as timestamp with time zone),
              ?
            )
          )
          order by "skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id"
          fetch next 10001 rows only
        ) as "lane"
        where "lane"."group_key" is null
      ) as "counted"
    )
    else (
      select count(*)
      from (
        select 1 as "one"
        from "skipjack"."jobs"
        where (
          "skipjack"."jobs"."status" = 'pending'
          and "skipjack"."jobs"."group_key" is not null
          and "skipjack"."jobs"."group_key" = cast(? as text)
          and "skipjack"."jobs"."queue" = cast(? as text)
          and "skipjack"."jobs"."priority" = cast(? as smallint)
          and ("skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id") < (
            cast(? as timestamp with time zone),
            ?
          )
        )
        fetch next 10001 rows only
      ) as "counted"
    )
  end as "before_in_group"
from "skipjack"."job_queues"
  left outer join "skipjack"."job_limits"
    on "skipjack"."job_limits"."name" = "skipjack"."job_queues"."limit_name"
  left outer join "skipjack"."job_groups"
    on (
      "skipjack"."job_groups"."queue" = "skipjack"."job_queues"."queue"
      and "skipjack"."job_groups"."group_key" = cast(? as text)
    )
where (
  "skipjack"."job_queues"."queue" = cast(? as text)
  and (
    "skipjack"."job_queues"."fair"
    or "skipjack"."job_queues"."limit_name" is not null
  )
)
