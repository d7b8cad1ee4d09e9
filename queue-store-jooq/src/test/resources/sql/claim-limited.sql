-- parameters: queue, limit_name, groups, caps, from_at, from_ids, queue, locks_groups, locks_limit, most, worker, lease, limit_name, queue, priority, kinds, queue, priority, kinds, until_at, until_id
with
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
      and "skipjack"."job_queues"."limit_name" is not distinct from cast(? as text)
    )
  ),
  "asked"("group_key", "cap", "from_at", "from_id", "position", "most", "full_at") as materialized (
    select
      "given"."group_key",
      "given"."cap",
      "given"."from_at",
      "given"."from_id",
      "given"."position",
      coalesce("own"."max_running", "bound"."max_running_per_group"),
      (
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
          and "skipjack"."job_rate_uses"."group_key" = ('/' || coalesce("given"."group_key", ''))
        )
        order by "skipjack"."job_rate_uses"."id" desc
        fetch next 1 rows only
      )
    from unnest(cast(
      ?
      as text[]
    ), cast(
      ?
      as int[]
    ), cast(
      ?
      as timestamp with time zone[]
    ), cast(
      ?
      as bigint[]
    )) with ordinality as "given" (
      "group_key",
      "cap",
      "from_at",
      "from_id",
      "position"
    )
      cross join "bound"
      left outer join lateral (
        select "skipjack"."job_groups"."weight", "skipjack"."job_groups"."max_running", "skipjack"."job_groups"."paused_at"
        from "skipjack"."job_groups"
        where (
          "skipjack"."job_groups"."queue" = cast(? as text)
          and "skipjack"."job_groups"."group_key" = "given"."group_key"
        )
        fetch next 1 rows only
      ) as "own"
        on true
    where "own"."paused_at" is null
  ),
  "lane" as materialized (
    select
      "asked"."group_key",
      "asked"."from_at",
      "asked"."from_id",
      "asked"."full_at",
      case
        when (
          (
            "asked"."most" is not null
            or (
              "bound"."rate_count" is not null
              and "bound"."rate_per_group"
            )
          )
          and not (cast(? as boolean))
        ) then 0
        else greatest(
          least(
            cast("asked"."cap" as bigint),
            cast(
              case
                when "asked"."most" is not null then ("asked"."most" - ((
                  select count(*)
                  from (
                    select 1 as "one"
                    from "skipjack"."jobs"
                    where (
                      "skipjack"."jobs"."status" = 'running'
                      and "skipjack"."jobs"."limit_name" = "bound"."limit_name"
                      and "skipjack"."jobs"."group_key" = "asked"."group_key"
                    )
                    fetch next "asked"."most" rows only
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
                      and "asked"."group_key" is null
                    )
                    fetch next "asked"."most" rows only
                  ) as "ungrouped"
                )))
              end
              as bigint
            ),
            case
              when (
                "bound"."rate_count" is not null
                and "bound"."rate_per_group"
                and ("bound"."rate_kind" = 'bucket')
              ) then greatest(
                (((cast("bound"."rate_burst" as bigint) * "bound"."rate_interval") - greatest(
                  cast(coalesce(extract(epoch from "asked"."full_at" - statement_timestamp()) * 1000000, 0) as bigint),
                  0
                )) / "bound"."rate_interval"),
                0
              )
              when greatest(
                cast(coalesce(extract(epoch from "asked"."full_at" - statement_timestamp()) * 1000000, 0) as bigint),
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
                      and "skipjack"."job_rate_uses"."group_key" = ('/' || coalesce("asked"."group_key", ''))
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
          ),
          0
        )
      end as "cap",
      case
        when case
          when (
            "bound"."rate_count" is not null
            and "bound"."rate_per_group"
            and ("bound"."rate_kind" = 'bucket')
          ) then greatest(
            (((cast("bound"."rate_burst" as bigint) * "bound"."rate_interval") - greatest(
              cast(coalesce(extract(epoch from "asked"."full_at" - statement_timestamp()) * 1000000, 0) as bigint),
              0
            )) / "bound"."rate_interval"),
            0
          )
          when greatest(
            cast(coalesce(extract(epoch from "asked"."full_at" - statement_timestamp()) * 1000000, 0) as bigint),
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
                  and "skipjack"."job_rate_uses"."group_key" = ('/' || coalesce("asked"."group_key", ''))
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
          ) then (cast(coalesce(extract(epoch from "asked"."full_at" - statement_timestamp()) * 1000000, 0) as bigint) - ((cast("bound"."rate_burst" as bigint) - 1) * "bound"."rate_interval"))
          when cast(coalesce(extract(epoch from "asked"."full_at" - statement_timestamp()) * 1000000, 0) as bigint) > 0 then cast(coalesce(extract(epoch from "asked"."full_at" - statement_timestamp()) * 1000000, 0) as bigint)
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
                and "skipjack"."job_rate_uses"."group_key" = ('/' || coalesce("asked"."group_key", ''))
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
    from "asked"
      cross join "bound"
    order by "asked"."position"
  ),
  "room" as materialized (
    select
      "newest"."full_at",
      case
        when (
          (
            "bound"."max_running" is not null
            or (
              "bound"."rate_count" is not null
              and not ("bound"."rate_per_group")
            )
          )
          and not (cast(? as boolean))
        ) then 0
        else greatest(
          least(
            ?,
            cast(
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
              end
              as bigint
            ),
            case
              when (
                "bound"."rate_count" is not null
                and not ("bound"."rate_per_group")
                and ("bound"."rate_kind" = 'bucket')
              ) then greatest(
                (((cast("bound"."rate_burst" as bigint) * "bound"."rate_interval") - greatest(
                  cast(coalesce(extract(epoch from "newest"."full_at" - statement_timestamp()) * 1000000, 0) as bigint),
                  0
                )) / "bound"."rate_interval"),
                0
              )
              when greatest(
                cast(coalesce(extract(epoch from "newest"."full_at" - statement_timestamp()) * 1000000, 0) as bigint),
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
          ),
          0
        )
      end as "cap",
      case
        when case
          when (
            "bound"."rate_count" is not null
            and not ("bound"."rate_per_group")
            and ("bound"."rate_kind" = 'bucket')
          ) then greatest(
            (((cast("bound"."rate_burst" as bigint) * "bound"."rate_interval") - greatest(
              cast(coalesce(extract(epoch from "newest"."full_at" - statement_timestamp()) * 1000000, 0) as bigint),
              0
            )) / "bound"."rate_interval"),
            0
          )
          when greatest(
            cast(coalesce(extract(epoch from "newest"."full_at" - statement_timestamp()) * 1000000, 0) as bigint),
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
          ) then (cast(coalesce(extract(epoch from "newest"."full_at" - statement_timestamp()) * 1000000, 0) as bigint) - ((cast("bound"."rate_burst" as bigint) - 1) * "bound"."rate_interval"))
          when cast(coalesce(extract(epoch from "newest"."full_at" - statement_timestamp()) * 1000000, 0) as bigint) > 0 then cast(coalesce(extract(epoch from "newest"."full_at" - statement_timestamp()) * 1000000, 0) as bigint)
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
      end as "opens_in"
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
      ) as "newest"
  ),
  "claimed" as (
    update "skipjack"."jobs"
    set
      "status" = 'running',
      "current_execution_id" = pg_catalog.nextval('"skipjack"."job_execution_id_seq"'),
      "locked_by" = ?,
      "started_at" = clock_timestamp(),
      "lease_expires_at" = clock_timestamp() + cast(? as double precision) * interval '1 microsecond',
      "attempts" = (least("skipjack"."jobs"."attempts", 2147483646) + 1),
      "unique_key" = case
        when "skipjack"."jobs"."unique_until" is distinct from 'started' then "skipjack"."jobs"."unique_key"
      end,
      "limit_name" = cast(? as text),
      "updated_at" = clock_timestamp()
    where "skipjack"."jobs"."id" = any (
      array(
        select "due"."id"
        from "lane"
          cross join lateral (
            select "grouped"."id"
            from (
              select "skipjack"."jobs"."id"
              from "skipjack"."jobs"
              where (
                "skipjack"."jobs"."status" = 'pending'
                and "skipjack"."jobs"."queue" = cast(? as text)
                and "skipjack"."jobs"."priority" = cast(? as smallint)
                and "skipjack"."jobs"."kind" = any (
                  cast(
                    ?
                    as text[]
                  )
                )
                and ("skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id") >= ("lane"."from_at", "lane"."from_id")
                and "skipjack"."jobs"."scheduled_at" <= now()
                and "skipjack"."jobs"."group_key" = "lane"."group_key"
              )
              order by "skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id"
              fetch next "lane"."cap" rows only
              for no key update skip locked
            ) as "grouped"
            union all
            select "ungrouped"."id"
            from (
              select "skipjack"."jobs"."id"
              from "skipjack"."jobs"
              where (
                "skipjack"."jobs"."status" = 'pending'
                and "skipjack"."jobs"."queue" = cast(? as text)
                and "skipjack"."jobs"."priority" = cast(? as smallint)
                and "skipjack"."jobs"."kind" = any (
                  cast(
                    ?
                    as text[]
                  )
                )
                and ("skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id") >= ("lane"."from_at", "lane"."from_id")
                and "lane"."group_key" is null
                and "skipjack"."jobs"."group_key" is null
                and ("skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id") <= (
                  least(
                    cast(
                      cast(? as text)
                      as timestamp with time zone
                    ),
                    now()
                  ),
                  ?
                )
              )
              order by "skipjack"."jobs"."scheduled_at", "skipjack"."jobs"."id"
              fetch next "lane"."cap" rows only
              for no key update skip locked
            ) as "ungrouped"
          ) as "due"
        fetch next (
          select "room"."cap"
          from "room"
        ) rows only
      )
    )
    returning 
      "skipjack"."jobs"."id",
      "skipjack"."jobs"."current_execution_id",
      "skipjack"."jobs"."queue",
      "skipjack"."jobs"."kind",
      "skipjack"."jobs"."payload",
      "skipjack"."jobs"."payload_version",
      "skipjack"."jobs"."priority",
      "skipjack"."jobs"."attempts",
      "skipjack"."jobs"."uncounted_attempts",
      "skipjack"."jobs"."max_attempts",
      "skipjack"."jobs"."scheduled_at",
      "skipjack"."jobs"."started_at",
      "skipjack"."jobs"."locked_by",
      "skipjack"."jobs"."headers",
      "skipjack"."jobs"."ordering_key",
      "skipjack"."jobs"."group_key"
  ),
  "opened" as (
    insert into "skipjack"."job_executions" (
      "id",
      "job_id",
      "started_at",
      "attempt",
      "queue",
      "kind",
      "worker_id",
      "group_key"
    )
    select
      "claimed"."current_execution_id",
      "claimed"."id",
      "claimed"."started_at",
      "claimed"."attempts",
      "claimed"."queue",
      "claimed"."kind",
      "claimed"."locked_by",
      "claimed"."group_key"
    from "claimed"
    returning "skipjack"."job_executions"."id"
  ),
  "used" as (
    insert into "skipjack"."job_rate_uses" ("limit_name", "group_key", "taken", "full_at")
    select
      "bound"."limit_name",
      '',
      "taken"."taken",
      case
        when ("bound"."rate_kind" = 'bucket') then greatest(
          clock_timestamp(),
          "room"."full_at"
        ) + cast((cast("taken"."taken" as bigint) * "bound"."rate_interval") as double precision) * interval '1 microsecond'
        else greatest(
          clock_timestamp(),
          "room"."full_at"
        )
      end
    from (
      select count(*) as "taken"
      from "claimed"
    ) as "taken"
      cross join "bound"
      cross join "room"
    where (
      "bound"."rate_count" is not null
      and not ("bound"."rate_per_group")
      and "taken"."taken" > 0
    )
    union all
    select
      "bound"."limit_name",
      ('/' || coalesce("taken"."group_key", '')),
      "taken"."taken",
      case
        when ("bound"."rate_kind" = 'bucket') then greatest(
          clock_timestamp(),
          "lane"."full_at"
        ) + cast((cast("taken"."taken" as bigint) * "bound"."rate_interval") as double precision) * interval '1 microsecond'
        else greatest(
          clock_timestamp(),
          "lane"."full_at"
        )
      end
    from (
      select
        "claimed"."group_key" as "group_key",
        count(*) as "taken"
      from "claimed"
      group by "claimed"."group_key"
    ) as "taken"
      join "lane"
        on "lane"."group_key" is not distinct from "taken"."group_key"
      cross join "bound"
    where (
      "bound"."rate_count" is not null
      and "bound"."rate_per_group"
    )
    returning "skipjack"."job_rate_uses"."id"
  )
select
  "claimed"."id",
  "claimed"."current_execution_id",
  "claimed"."queue",
  "claimed"."kind",
  "claimed"."payload",
  "claimed"."payload_version",
  "claimed"."priority",
  "claimed"."attempts",
  "claimed"."uncounted_attempts",
  "claimed"."max_attempts",
  "claimed"."scheduled_at",
  "claimed"."started_at",
  "claimed"."locked_by",
  "claimed"."headers",
  "claimed"."ordering_key",
  "claimed"."group_key",
  "opens_in"
from (
  select coalesce(
    (
      select "room"."opens_in"
      from "room"
    ),
    (
      select min("lane"."opens_in")
      from "lane"
    )
  ) as "opens_in"
) as "state"
  left outer join "claimed"
    on true
