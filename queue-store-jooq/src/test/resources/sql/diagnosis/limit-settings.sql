-- parameters: 
select
  cast("skipjack"."job_limits"."name" as text) as "limit_name",
  cast(null as text) as "queue",
  cast(null as text) as "group_key",
  "newest"."full_at" as "full_at"
from "skipjack"."job_limits"
  cross join lateral (
    select "skipjack"."job_rate_uses"."full_at"
    from "skipjack"."job_rate_uses"
    where (
      "skipjack"."job_rate_uses"."limit_name" = "skipjack"."job_limits"."name"
      and "skipjack"."job_rate_uses"."group_key" = ''
    )
    order by "skipjack"."job_rate_uses"."id" desc
    fetch next 1 rows only
  ) as "newest"
where "newest"."full_at" > now() + cast((coalesce(
  (cast(
    coalesce("skipjack"."job_limits"."rate_burst", "skipjack"."job_limits"."rate_count")
    as bigint
  ) * cast(ceil(extract(epoch from "skipjack"."job_limits"."rate_period") * 1000000 / "skipjack"."job_limits"."rate_count") as bigint)),
  0
) + 3600000000) as double precision) * interval '1 microsecond'
union all
select
  cast("skipjack"."job_limits"."name" as text),
  cast(null as text),
  cast(null as text),
  cast(null as timestamp with time zone)
from "skipjack"."job_limits"
where not exists (
  select 1 as "one"
  from "skipjack"."job_queues"
  where "skipjack"."job_queues"."limit_name" = "skipjack"."job_limits"."name"
)
union all
select
  cast(null as text),
  cast("skipjack"."job_groups"."queue" as text),
  cast("skipjack"."job_groups"."group_key" as text),
  cast(null as timestamp with time zone)
from "skipjack"."job_groups"
  left outer join "skipjack"."job_queues"
    on "skipjack"."job_queues"."queue" = "skipjack"."job_groups"."queue"
where (
  "skipjack"."job_queues"."limit_name" is null
  and (
    "skipjack"."job_groups"."max_running" is not null
    or (
      (
        "skipjack"."job_queues"."queue" is null
        or not ("skipjack"."job_queues"."fair")
      )
      and (
        "skipjack"."job_groups"."paused_at" is not null
        or "skipjack"."job_groups"."weight" <> 1
      )
    )
  )
)
fetch next 1001 rows only
