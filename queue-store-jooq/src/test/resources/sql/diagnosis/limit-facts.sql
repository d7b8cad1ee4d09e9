-- parameters: group, group, group, group, group, group, group, group, group, group, queue, priority, scheduled_at, id, group, queue, priority, scheduled_at, id, group, queue
select
  "skipjack"."job_queues"."limit_name",
  "skipjack"."job_limits"."max_running",
  "skipjack"."job_limits"."max_running_per_group",
  "skipjack"."job_limits"."rate_kind",
  "skipjack"."job_limits"."rate_count",
  cast(extract(epoch from "skipjack"."job_limits"."rate_period") * 1000000 as bigint) as "rate_period_us",
  "skipjack"."job_limits"."rate_burst",
  "skipjack"."job_limits"."rate_per_group",
  statement_timestamp() as "rate_now",
  (
    select case
      when "skipjack"."job_rate_uses"."taken" = 0 then "skipjack"."job_rate_uses"."full_at"
    end
    from "skipjack"."job_rate_uses"
    where (
      "skipjack"."job_rate_uses"."limit_name" = "skipjack"."job_limits"."name"
      and "skipjack"."job_rate_uses"."group_key" = ''
    )
    order by "skipjack"."job_rate_uses"."id" desc
    fetch next 1 rows only
  ) as "rate_throttled_until",
  (
    select case
      when "skipjack"."job_rate_uses"."taken" > 0 then "skipjack"."job_rate_uses"."at"
    end
    from "skipjack"."job_rate_uses"
    where (
      "skipjack"."job_rate_uses"."limit_name" = "skipjack"."job_limits"."name"
      and "skipjack"."job_rate_uses"."group_key" = ''
    )
    order by "skipjack"."job_rate_uses"."id" desc
    fetch next 1 rows only
  ) as "rate_taken_at",
  (
    select case
      when "skipjack"."job_rate_uses"."taken" > 0 then "skipjack"."job_rate_uses"."full_at"
    end
    from "skipjack"."job_rate_uses"
    where (
      "skipjack"."job_rate_uses"."limit_name" = "skipjack"."job_limits"."name"
      and "skipjack"."job_rate_uses"."group_key" = ''
    )
    order by "skipjack"."job_rate_uses"."id" desc
    fetch next 1 rows only
  ) as "rate_full_at",
  (
    select cast(
      sum("recent"."taken")
      as bigint
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
      when "skipjack"."job_limits"."rate_kind" = 'sliding' then statement_timestamp() - "skipjack"."job_limits"."rate_period"
      when "skipjack"."job_limits"."rate_kind" = 'fixed' then date_bin("skipjack"."job_limits"."rate_period", statement_timestamp(), timestamptz '2000-01-01 00:00:00+00')
    end
  ) as "rate_used",
  (
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
      when "skipjack"."job_limits"."rate_kind" = 'sliding' then statement_timestamp() - "skipjack"."job_limits"."rate_period"
      when "skipjack"."job_limits"."rate_kind" = 'fixed' then date_bin("skipjack"."job_limits"."rate_period", statement_timestamp(), timestamptz '2000-01-01 00:00:00+00')
    end
  ) as "rate_oldest",
  case
    when "skipjack"."job_limits"."rate_kind" = 'sliding' then statement_timestamp() - "skipjack"."job_limits"."rate_period"
    when "skipjack"."job_limits"."rate_kind" = 'fixed' then date_bin("skipjack"."job_limits"."rate_period", statement_timestamp(), timestamptz '2000-01-01 00:00:00+00')
  end as "rate_window_start",
  statement_timestamp() as "group_rate_now",
  (
    select case
      when "skipjack"."job_rate_uses"."taken" = 0 then "skipjack"."job_rate_uses"."full_at"
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
  ) as "group_rate_throttled_until",
  (
    select case
      when "skipjack"."job_rate_uses"."taken" > 0 then "skipjack"."job_rate_uses"."at"
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
  ) as "group_rate_taken_at",
  (
    select case
      when "skipjack"."job_rate_uses"."taken" > 0 then "skipjack"."job_rate_uses"."full_at"
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
  ) as "group_rate_full_at",
  (
    select cast(
      sum("recent"."taken")
      as bigint
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
      when "skipjack"."job_limits"."rate_kind" = 'sliding' then statement_timestamp() - "skipjack"."job_limits"."rate_period"
      when "skipjack"."job_limits"."rate_kind" = 'fixed' then date_bin("skipjack"."job_limits"."rate_period", statement_timestamp(), timestamptz '2000-01-01 00:00:00+00')
    end
  ) as "group_rate_used",
  (
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
      when "skipjack"."job_limits"."rate_kind" = 'sliding' then statement_timestamp() - "skipjack"."job_limits"."rate_period"
      when "skipjack"."job_limits"."rate_kind" = 'fixed' then date_bin("skipjack"."job_limits"."rate_period", statement_timestamp(), timestamptz '2000-01-01 00:00:00+00')
    end
  ) as "group_rate_oldest",
  case
    when "skipjack"."job_limits"."rate_kind" = 'sliding' then statement_timestamp() - "skipjack"."job_limits"."rate_period"
    when "skipjack"."job_limits"."rate_kind" = 'fixed' then date_bin("skipjack"."job_limits"."rate_period", statement_timestamp(), timestamptz '2000-01-01 00:00:00+00')
  end as "group_rate_window_start",
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
