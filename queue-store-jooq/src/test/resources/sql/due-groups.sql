-- parameters: queue, queue, priority, low_at, low_id, jobs, queue, priority, low_at, low_id, ungrouped_at, ungrouped_id, jobs, jobs, queue, priority, low_at, low_id, jobs, newest, after, jobs, queue, priority, queue, priority, after, queue, priority, after, names, queue, priority, low_at, low_id, depth, names, names, jobs, jobs, queue, after
with recursive
  "bound" as materialized (
    select
      "skipjack"."job_queues"."limit_name",
      "skipjack"."job_limits"."max_running",
      "skipjack"."job_limits"."max_running_per_group",
      "skipjack"."job_limits"."rate_count",
      "skipjack"."job_limits"."rate_kind",
      "skipjack"."job_limits"."rate_per_group",
      coalesce("skipjack"."job_limits"."rate_burst", "skipjack"."job_limits"."rate_count") as "rate_burst",
      cast(ceil(extract(epoch from "skipjack"."job_limits"."rate_period") * 1000000) as bigint) as "rate_period",
      cast(ceil(extract(epoch from "skipjack"."job_limits"."rate_period") * 1000000 / "skipjack"."job_limits"."rate_count") as bigint) as "rate_interval"
    from "skipjack"."job_queues"
      left outer join "skipjack"."job_limits"
        on "skipjack"."job_limits"."name" = "skipjack"."job_queues"."limit_name"
    where (
      "skipjack"."job_queues"."queue" = cast(? as text)
      and (
        "skipjack"."job_queues"."limit_name" is not null
        or "skipjack"."job_queues"."fair"
      )
      and not (coalesce(
        (
          "skipjack"."job_queues"."paused_at" is not null
          and (
            "skipjack"."job_queues"."paused_until" is null
            or "skipjack"."job_queues"."paused_until" > now()
          )
        ),
        false
      ))
      and true
    )
  ),
  "first" as materialized (
    select "skipjack"."jobs"."group_key", "skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id"
    from "skipjack"."jobs"
    where (
      "skipjack"."jobs"."status" = 'pending'
      and "skipjack"."jobs"."queue" = cast(? as text)
      and "skipjack"."jobs"."priority" = cast(? as smallint)
      and "skipjack"."jobs"."scheduled_at" <= now()
      and ("skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id") >= (
        cast(
          cast(? as text)
          as timestamp with time zone
        ),
        ?
      )
    )
    order by "skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id"
    fetch next ? rows only
  ),
  "further" as materialized (
    select "skipjack"."jobs"."group_key", "skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id"
    from "skipjack"."jobs"
    where (
      "skipjack"."jobs"."status" = 'pending'
      and "skipjack"."jobs"."queue" = cast(? as text)
      and "skipjack"."jobs"."priority" = cast(? as smallint)
      and "skipjack"."jobs"."scheduled_at" <= now()
      and ("skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id") >= (
        cast(
          cast(? as text)
          as timestamp with time zone
        ),
        ?
      )
      and ("skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id") > (
        cast(
          cast(? as text)
          as timestamp with time zone
        ),
        ?
      )
      and (
        select count(*)
        from "first"
      ) >= ?
      and not exists (
        select 1 as "one"
        from "first"
        where "first"."group_key" is null
      )
    )
    order by "skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id"
    fetch next ? rows only
  ),
  "newest" as materialized (
    select "skipjack"."jobs"."group_key", "skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id"
    from "skipjack"."jobs"
    where (
      "skipjack"."jobs"."status" = 'pending'
      and "skipjack"."jobs"."queue" = cast(? as text)
      and "skipjack"."jobs"."priority" = cast(? as smallint)
      and "skipjack"."jobs"."scheduled_at" <= now()
      and ("skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id") >= (
        cast(
          cast(? as text)
          as timestamp with time zone
        ),
        ?
      )
      and (
        select count(*)
        from "first"
      ) >= ?
    )
    order by "skipjack"."jobs"."scheduled_at" desc, "skipjack"."jobs"."id" desc
    fetch next ? rows only
  ),
  "walked"("group_key", "step", "wrapped") as (
    select
      cast(? as text) collate "C",
      0,
      false
    where (
      select count(*)
      from "first"
    ) >= ?
    union all
    select
      "next"."group_key",
      ("walked"."step" + 1),
      "next"."wrapped"
    from "walked"
      cross join lateral (
        select "following"."group_key", "following"."wrapped"
        from (
          select
            "skipjack"."jobs"."group_key",
            false as "wrapped"
          from "skipjack"."jobs"
          where (
            "skipjack"."jobs"."status" = 'pending'
            and "skipjack"."jobs"."queue" = cast(? as text)
            and "skipjack"."jobs"."priority" = cast(? as smallint)
            and "skipjack"."jobs"."group_key" is not null
            and "walked"."wrapped" = false
            and "skipjack"."jobs"."group_key" > "walked"."group_key"
          )
          order by "skipjack"."jobs"."group_key"
          fetch next 1 rows only
        ) as "following"
        union all
        select "following"."group_key", "following"."wrapped"
        from (
          select
            "skipjack"."jobs"."group_key",
            true as "wrapped"
          from "skipjack"."jobs"
          where (
            "skipjack"."jobs"."status" = 'pending'
            and "skipjack"."jobs"."queue" = cast(? as text)
            and "skipjack"."jobs"."priority" = cast(? as smallint)
            and "skipjack"."jobs"."group_key" is not null
            and "walked"."wrapped" = false
            and "skipjack"."jobs"."group_key" <= cast(? as text) collate "C"
          )
          order by "skipjack"."jobs"."group_key"
          fetch next 1 rows only
        ) as "following"
        union all
        select "following"."group_key", "following"."wrapped"
        from (
          select
            "skipjack"."jobs"."group_key",
            true as "wrapped"
          from "skipjack"."jobs"
          where (
            "skipjack"."jobs"."status" = 'pending'
            and "skipjack"."jobs"."queue" = cast(? as text)
            and "skipjack"."jobs"."priority" = cast(? as smallint)
            and "skipjack"."jobs"."group_key" is not null
            and "walked"."wrapped" = true
            and "skipjack"."jobs"."group_key" > "walked"."group_key"
            and "skipjack"."jobs"."group_key" <= cast(? as text) collate "C"
          )
          order by "skipjack"."jobs"."group_key"
          fetch next 1 rows only
        ) as "following"
        fetch next 1 rows only
      ) as "next"
    where "walked"."step" < ?
  ),
  "named"("group_key", "due", "from_at", "from_id") as materialized (
    select
      "walked"."group_key",
      cast(null as bigint),
      cast(null as timestamp with time zone),
      cast(null as bigint)
    from "walked"
    where "walked"."step" > 0
    union all
    select
      "read"."group_key",
      cast(
        count(*)
        as bigint
      ),
      min("read"."scheduled_at"),
      (array_agg("read"."id" order by "read"."scheduled_at", "read"."id"))[1]
    from (
      select
        "first"."group_key" as "group_key",
        "first"."scheduled_at" as "scheduled_at",
        "first"."id" as "id"
      from "first"
      union all
      select
        "rest"."group_key",
        cast(null as timestamp with time zone),
        cast(null as bigint)
      from (
        select
          "newest"."group_key" as "group_key",
          "newest"."scheduled_at" as "scheduled_at",
          "newest"."id" as "id"
        from "newest"
        except
        select
          "first"."group_key" as "group_key",
          "first"."scheduled_at" as "scheduled_at",
          "first"."id" as "id"
        from "first"
      ) as "rest"
    ) as "read"
    where (
      "read"."group_key" is not null
      and not exists (
        select 1 as "one"
        from "walked"
        where (
          "walked"."group_key" = "read"."group_key"
          and "walked"."step" > 0
        )
      )
    )
    group by "read"."group_key"
  ),
  "found"("group_key", "due", "from_at", "from_id", "until_at", "until_id") as materialized (
    select
      "named"."group_key",
      coalesce("named"."due", "counted"."due"),
      coalesce("named"."from_at", "counted"."from_at"),
      coalesce("named"."from_id", "counted"."from_id"),
      cast(null as timestamp with time zone),
      cast(null as bigint)
    from "named"
      cross join lateral (
        select
          cast(
            count(*)
            as bigint
          ) as "due",
          min("job"."scheduled_at") as "from_at",
          (array_agg("job"."id" order by "job"."scheduled_at", "job"."id"))[1] as "from_id"
        from (
          select "skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id"
          from "skipjack"."jobs"
          where (
            "skipjack"."jobs"."status" = 'pending'
            and "skipjack"."jobs"."queue" = cast(? as text)
            and "skipjack"."jobs"."priority" = cast(? as smallint)
            and "skipjack"."jobs"."scheduled_at" <= now()
            and ("skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id") >= (
              cast(
                cast(? as text)
                as timestamp with time zone
              ),
              ?
            )
            and "skipjack"."jobs"."group_key" = "named"."group_key"
            and "named"."due" is null
          )
          order by "skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id"
          fetch next ? rows only
        ) as "job"
      ) as "counted"
    union all
    select
      cast(null as text),
      cast(
        count(*)
        as bigint
      ),
      min("read"."scheduled_at"),
      (array_agg("read"."id" order by "read"."scheduled_at", "read"."id"))[1],
      max("read"."scheduled_at"),
      (array_agg("read"."id" order by "read"."scheduled_at" desc, "read"."id" desc))[1]
    from (
      select
        "first"."group_key" as "group_key",
        "first"."scheduled_at" as "scheduled_at",
        "first"."id" as "id"
      from "first"
      union
      select
        "further"."group_key" as "group_key",
        "further"."scheduled_at" as "scheduled_at",
        "further"."id" as "id"
      from "further"
    ) as "read"
    where (
      "read"."group_key" is null
      and true
    )
    union all
    select
      cast(null as text),
      cast(
        count(*)
        as bigint
      ),
      min("read"."scheduled_at"),
      (array_agg("read"."id" order by "read"."scheduled_at", "read"."id"))[1],
      max("read"."scheduled_at"),
      (array_agg("read"."id" order by "read"."scheduled_at" desc, "read"."id" desc))[1]
    from (
      select
        "newest"."group_key" as "group_key",
        "newest"."scheduled_at" as "scheduled_at",
        "newest"."id" as "id"
      from "newest"
    ) as "read"
    where (
      "read"."group_key" is null
      and not exists (
        select 1 as "one"
        from (
          select
            "first"."group_key" as "group_key",
            "first"."scheduled_at" as "scheduled_at",
            "first"."id" as "id"
          from "first"
          union
          select
            "further"."group_key" as "group_key",
            "further"."scheduled_at" as "scheduled_at",
            "further"."id" as "id"
          from "further"
        ) as "earlier"
        where "earlier"."group_key" is null
      )
    )
  ),
  "permits" as materialized (
    select
      greatest(
        coalesce(
          least(
            case
              when "bound"."max_running" is not null then ("bound"."max_running" - (
                select count(*)
                from (
                  select 1 as "one"
                  from "skipjack"."jobs"
                  where (
                    "skipjack"."jobs"."status" = 'running'
                    and "skipjack"."jobs"."limit_name" = "bound"."limit_name"
                  )
                  fetch next "bound"."max_running" rows only
                ) as "used"
              ))
            end,
            cast(
              case
                when (
                  "bound"."rate_count" is not null
                  and not ("bound"."rate_per_group")
                  and ("bound"."rate_kind" = 'bucket')
                ) then greatest(
                  (((cast("bound"."rate_burst" as bigint) * "bound"."rate_interval") - greatest(
                    cast(coalesce(extract(epoch from "rate"."full_at" - statement_timestamp()) * 1000000, 0) as bigint),
                    0
                  )) / "bound"."rate_interval"),
                  0
                )
                when greatest(
                  cast(coalesce(extract(epoch from "rate"."full_at" - statement_timestamp()) * 1000000, 0) as bigint),
                  0
                ) > 0 then 0
                when (
                  "bound"."rate_count" is not null
                  and not ("bound"."rate_per_group")
                ) then greatest(
                  (cast("bound"."rate_count" as bigint) - (
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
                        "skipjack"."job_rate_uses"."limit_name" = "bound"."limit_name"
                        and "skipjack"."job_rate_uses"."group_key" = ''
                        and "skipjack"."job_rate_uses"."taken" > 0
                      )
                      order by "skipjack"."job_rate_uses"."id" desc
                      fetch next "bound"."rate_count" rows only
                    ) as "recent"
                    where "recent"."at" >= case
                      when ("bound"."rate_kind" = 'sliding') then statement_timestamp() - cast("bound"."rate_period" as double precision) * interval '1 microsecond'
                      else date_bin(cast("bound"."rate_period" as double precision) * interval '1 microsecond', statement_timestamp(), timestamptz '2000-01-01 00:00:00+00')
                    end
                  )),
                  0
                )
              end
              as int
            )
          ),
          2147483647
        ),
        0
      ) as "free_of_limit",
      case
        when case
          when (
            "bound"."rate_count" is not null
            and not ("bound"."rate_per_group")
            and ("bound"."rate_kind" = 'bucket')
          ) then greatest(
            (((cast("bound"."rate_burst" as bigint) * "bound"."rate_interval") - greatest(
              cast(coalesce(extract(epoch from "rate"."full_at" - statement_timestamp()) * 1000000, 0) as bigint),
              0
            )) / "bound"."rate_interval"),
            0
          )
          when greatest(
            cast(coalesce(extract(epoch from "rate"."full_at" - statement_timestamp()) * 1000000, 0) as bigint),
            0
          ) > 0 then 0
          when (
            "bound"."rate_count" is not null
            and not ("bound"."rate_per_group")
          ) then greatest(
            (cast("bound"."rate_count" as bigint) - (
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
                  "skipjack"."job_rate_uses"."limit_name" = "bound"."limit_name"
                  and "skipjack"."job_rate_uses"."group_key" = ''
                  and "skipjack"."job_rate_uses"."taken" > 0
                )
                order by "skipjack"."job_rate_uses"."id" desc
                fetch next "bound"."rate_count" rows only
              ) as "recent"
              where "recent"."at" >= case
                when ("bound"."rate_kind" = 'sliding') then statement_timestamp() - cast("bound"."rate_period" as double precision) * interval '1 microsecond'
                else date_bin(cast("bound"."rate_period" as double precision) * interval '1 microsecond', statement_timestamp(), timestamptz '2000-01-01 00:00:00+00')
              end
            )),
            0
          )
        end = 0 then case
          when (
            "bound"."rate_count" is not null
            and not ("bound"."rate_per_group")
            and ("bound"."rate_kind" = 'bucket')
          ) then (cast(coalesce(extract(epoch from "rate"."full_at" - statement_timestamp()) * 1000000, 0) as bigint) - ((cast("bound"."rate_burst" as bigint) - 1) * "bound"."rate_interval"))
          when cast(coalesce(extract(epoch from "rate"."full_at" - statement_timestamp()) * 1000000, 0) as bigint) > 0 then cast(coalesce(extract(epoch from "rate"."full_at" - statement_timestamp()) * 1000000, 0) as bigint)
          when (
            "bound"."rate_count" is not null
            and not ("bound"."rate_per_group")
            and ("bound"."rate_kind" = 'sliding')
          ) then (cast(coalesce(extract(epoch from (
            select min("recent"."at")
            from (
              select "skipjack"."job_rate_uses"."taken", "skipjack"."job_rate_uses"."at"
              from "skipjack"."job_rate_uses"
              where (
                "skipjack"."job_rate_uses"."limit_name" = "bound"."limit_name"
                and "skipjack"."job_rate_uses"."group_key" = ''
                and "skipjack"."job_rate_uses"."taken" > 0
              )
              order by "skipjack"."job_rate_uses"."id" desc
              fetch next "bound"."rate_count" rows only
            ) as "recent"
            where "recent"."at" >= case
              when ("bound"."rate_kind" = 'sliding') then statement_timestamp() - cast("bound"."rate_period" as double precision) * interval '1 microsecond'
              else date_bin(cast("bound"."rate_period" as double precision) * interval '1 microsecond', statement_timestamp(), timestamptz '2000-01-01 00:00:00+00')
            end
          ) - statement_timestamp()) * 1000000, 0) as bigint) + "bound"."rate_period")
          when (
            "bound"."rate_count" is not null
            and not ("bound"."rate_per_group")
          ) then (cast(coalesce(extract(epoch from case
            when ("bound"."rate_kind" = 'sliding') then statement_timestamp() - cast("bound"."rate_period" as double precision) * interval '1 microsecond'
            else date_bin(cast("bound"."rate_period" as double precision) * interval '1 microsecond', statement_timestamp(), timestamptz '2000-01-01 00:00:00+00')
          end - statement_timestamp()) * 1000000, 0) as bigint) + "bound"."rate_period")
        end
      end as "opens_in_of_limit"
    from "bound"
      cross join lateral (
        select (
          select case
            when "skipjack"."job_rate_uses"."taken" = 0 then "skipjack"."job_rate_uses"."full_at"
            when (
              "bound"."rate_count" is not null
              and not ("bound"."rate_per_group")
              and ("bound"."rate_kind" = 'bucket')
            ) then least(
              "skipjack"."job_rate_uses"."full_at",
              "skipjack"."job_rate_uses"."at" + cast((cast("bound"."rate_burst" as bigint) * "bound"."rate_interval") as double precision) * interval '1 microsecond'
            )
          end
          from "skipjack"."job_rate_uses"
          where (
            "skipjack"."job_rate_uses"."limit_name" = "bound"."limit_name"
            and "skipjack"."job_rate_uses"."group_key" = ''
          )
          order by "skipjack"."job_rate_uses"."id" desc
          fetch next 1 rows only
        ) as "full_at"
      ) as "rate"
  )
select
  "bound"."limit_name",
  "free_of_limit",
  "opens_in_of_limit",
  (
    "bound"."max_running" is not null
    or (
      "bound"."rate_count" is not null
      and not ("bound"."rate_per_group")
    )
  ) as "locks_limit",
  (
    "bound"."max_running_per_group" is not null
    or (
      "bound"."rate_count" is not null
      and "bound"."rate_per_group"
    )
    or "own"."max_running" is not null
  ) as "locks_groups",
  (
    select "walked"."group_key"
    from "walked"
    where (
      "walked"."step" = ?
      and ? > 0
    )
  ) as "read_to",
  (
    select "first"."scheduled_at"
    from "first"
    order by "first"."scheduled_at", "first"."id"
    fetch next 1 rows only
  ) as "first_at",
  (
    select "first"."id"
    from "first"
    order by "first"."scheduled_at", "first"."id"
    fetch next 1 rows only
  ) as "first_id",
  (
    select "further"."scheduled_at"
    from "further"
    where (
      select count(*)
      from "further"
    ) >= ?
    order by "further"."scheduled_at" desc, "further"."id" desc
    fetch next 1 rows only
  ) as "read_at",
  (
    select "further"."id"
    from "further"
    where (
      select count(*)
      from "further"
    ) >= ?
    order by "further"."scheduled_at" desc, "further"."id" desc
    fetch next 1 rows only
  ) as "read_id",
  "found"."group_key",
  "found"."due",
  "found"."from_at",
  "found"."from_id",
  "found"."until_at",
  "found"."until_id",
  coalesce("own"."weight", 1) as "weight",
  ("own"."paused_at" is not null) as "is_paused",
  case
    when "bound"."limit_name" is null then 2147483647
    else greatest(
      coalesce(
        least(
          case
            when coalesce("own"."max_running", "bound"."max_running_per_group") is not null then (coalesce("own"."max_running", "bound"."max_running_per_group") - ((
              select count(*)
              from (
                select 1 as "one"
                from "skipjack"."jobs"
                where (
                  "skipjack"."jobs"."status" = 'running'
                  and "skipjack"."jobs"."limit_name" = "bound"."limit_name"
                  and "skipjack"."jobs"."group_key" = "found"."group_key"
                )
                fetch next coalesce("own"."max_running", "bound"."max_running_per_group") rows only
              ) as "grouped"
            ) + (
              select count(*)
              from (
                select 1 as "one"
                from "skipjack"."jobs"
                where (
                  "skipjack"."jobs"."status" = 'running'
                  and "skipjack"."jobs"."limit_name" = "bound"."limit_name"
                  and "skipjack"."jobs"."group_key" is null
                  and "found"."group_key" is null
                )
                fetch next coalesce("own"."max_running", "bound"."max_running_per_group") rows only
              ) as "ungrouped"
            )))
          end,
          cast(
            case
              when (
                "bound"."rate_count" is not null
                and "bound"."rate_per_group"
                and ("bound"."rate_kind" = 'bucket')
              ) then greatest(
                (((cast("bound"."rate_burst" as bigint) * "bound"."rate_interval") - greatest(
                  cast(coalesce(extract(epoch from "rate"."full_at" - statement_timestamp()) * 1000000, 0) as bigint),
                  0
                )) / "bound"."rate_interval"),
                0
              )
              when greatest(
                cast(coalesce(extract(epoch from "rate"."full_at" - statement_timestamp()) * 1000000, 0) as bigint),
                0
              ) > 0 then 0
              when (
                "bound"."rate_count" is not null
                and "bound"."rate_per_group"
              ) then greatest(
                (cast("bound"."rate_count" as bigint) - (
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
                      "skipjack"."job_rate_uses"."limit_name" = "bound"."limit_name"
                      and "skipjack"."job_rate_uses"."group_key" = ('/' || coalesce("found"."group_key", ''))
                      and "skipjack"."job_rate_uses"."taken" > 0
                    )
                    order by "skipjack"."job_rate_uses"."id" desc
                    fetch next "bound"."rate_count" rows only
                  ) as "recent"
                  where "recent"."at" >= case
                    when ("bound"."rate_kind" = 'sliding') then statement_timestamp() - cast("bound"."rate_period" as double precision) * interval '1 microsecond'
                    else date_bin(cast("bound"."rate_period" as double precision) * interval '1 microsecond', statement_timestamp(), timestamptz '2000-01-01 00:00:00+00')
                  end
                )),
                0
              )
            end
            as int
          )
        ),
        2147483647
      ),
      0
    )
  end as "free",
  case
    when case
      when (
        "bound"."rate_count" is not null
        and "bound"."rate_per_group"
        and ("bound"."rate_kind" = 'bucket')
      ) then greatest(
        (((cast("bound"."rate_burst" as bigint) * "bound"."rate_interval") - greatest(
          cast(coalesce(extract(epoch from "rate"."full_at" - statement_timestamp()) * 1000000, 0) as bigint),
          0
        )) / "bound"."rate_interval"),
        0
      )
      when greatest(
        cast(coalesce(extract(epoch from "rate"."full_at" - statement_timestamp()) * 1000000, 0) as bigint),
        0
      ) > 0 then 0
      when (
        "bound"."rate_count" is not null
        and "bound"."rate_per_group"
      ) then greatest(
        (cast("bound"."rate_count" as bigint) - (
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
              "skipjack"."job_rate_uses"."limit_name" = "bound"."limit_name"
              and "skipjack"."job_rate_uses"."group_key" = ('/' || coalesce("found"."group_key", ''))
              and "skipjack"."job_rate_uses"."taken" > 0
            )
            order by "skipjack"."job_rate_uses"."id" desc
            fetch next "bound"."rate_count" rows only
          ) as "recent"
          where "recent"."at" >= case
            when ("bound"."rate_kind" = 'sliding') then statement_timestamp() - cast("bound"."rate_period" as double precision) * interval '1 microsecond'
            else date_bin(cast("bound"."rate_period" as double precision) * interval '1 microsecond', statement_timestamp(), timestamptz '2000-01-01 00:00:00+00')
          end
        )),
        0
      )
    end = 0 then case
      when (
        "bound"."rate_count" is not null
        and "bound"."rate_per_group"
        and ("bound"."rate_kind" = 'bucket')
      ) then (cast(coalesce(extract(epoch from "rate"."full_at" - statement_timestamp()) * 1000000, 0) as bigint) - ((cast("bound"."rate_burst" as bigint) - 1) * "bound"."rate_interval"))
      when cast(coalesce(extract(epoch from "rate"."full_at" - statement_timestamp()) * 1000000, 0) as bigint) > 0 then cast(coalesce(extract(epoch from "rate"."full_at" - statement_timestamp()) * 1000000, 0) as bigint)
      when (
        "bound"."rate_count" is not null
        and "bound"."rate_per_group"
        and ("bound"."rate_kind" = 'sliding')
      ) then (cast(coalesce(extract(epoch from (
        select min("recent"."at")
        from (
          select "skipjack"."job_rate_uses"."taken", "skipjack"."job_rate_uses"."at"
          from "skipjack"."job_rate_uses"
          where (
            "skipjack"."job_rate_uses"."limit_name" = "bound"."limit_name"
            and "skipjack"."job_rate_uses"."group_key" = ('/' || coalesce("found"."group_key", ''))
            and "skipjack"."job_rate_uses"."taken" > 0
          )
          order by "skipjack"."job_rate_uses"."id" desc
          fetch next "bound"."rate_count" rows only
        ) as "recent"
        where "recent"."at" >= case
          when ("bound"."rate_kind" = 'sliding') then statement_timestamp() - cast("bound"."rate_period" as double precision) * interval '1 microsecond'
          else date_bin(cast("bound"."rate_period" as double precision) * interval '1 microsecond', statement_timestamp(), timestamptz '2000-01-01 00:00:00+00')
        end
      ) - statement_timestamp()) * 1000000, 0) as bigint) + "bound"."rate_period")
      when (
        "bound"."rate_count" is not null
        and "bound"."rate_per_group"
      ) then (cast(coalesce(extract(epoch from case
        when ("bound"."rate_kind" = 'sliding') then statement_timestamp() - cast("bound"."rate_period" as double precision) * interval '1 microsecond'
        else date_bin(cast("bound"."rate_period" as double precision) * interval '1 microsecond', statement_timestamp(), timestamptz '2000-01-01 00:00:00+00')
      end - statement_timestamp()) * 1000000, 0) as bigint) + "bound"."rate_period")
    end
  end as "opens_in"
from "bound"
  cross join "permits"
  left outer join "found"
    on "found"."due" > 0
  left outer join lateral (
    select "skipjack"."job_groups"."weight", "skipjack"."job_groups"."max_running", "skipjack"."job_groups"."paused_at"
    from "skipjack"."job_groups"
    where (
      "skipjack"."job_groups"."queue" = cast(? as text)
      and "skipjack"."job_groups"."group_key" = "found"."group_key"
    )
    fetch next 1 rows only
  ) as "own"
    on true
  left outer join lateral (
    select (
      select case
        when "skipjack"."job_rate_uses"."taken" = 0 then "skipjack"."job_rate_uses"."full_at"
        when (
          "bound"."rate_count" is not null
          and "bound"."rate_per_group"
          and ("bound"."rate_kind" = 'bucket')
        ) then least(
          "skipjack"."job_rate_uses"."full_at",
          "skipjack"."job_rate_uses"."at" + cast((cast("bound"."rate_burst" as bigint) * "bound"."rate_interval") as double precision) * interval '1 microsecond'
        )
      end
      from "skipjack"."job_rate_uses"
      where (
        "skipjack"."job_rate_uses"."limit_name" = "bound"."limit_name"
        and "skipjack"."job_rate_uses"."group_key" = ('/' || coalesce("found"."group_key", ''))
      )
      order by "skipjack"."job_rate_uses"."id" desc
      fetch next 1 rows only
    ) as "full_at"
  ) as "rate"
    on true
order by
  (coalesce("found"."group_key", '') > cast(? as text) collate "C") desc,
  "found"."group_key" asc nulls first
