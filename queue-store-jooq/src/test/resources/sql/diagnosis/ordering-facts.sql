-- parameters: key, position, key
select
  (
    select count(*)
    from (
      select 1 as "one"
      from "skipjack"."jobs"
      where (
        "skipjack"."jobs"."status" = 'waiting'
        and "skipjack"."jobs"."ordering_key" = cast(? as text)
        and coalesce("skipjack"."jobs"."ordering_position", "skipjack"."jobs"."id") < ?
      )
      fetch next 10001 rows only
    ) as "before"
  ) as "before",
  "head"."id",
  "head"."status",
  "head"."last_error",
  coalesce(
    (
      select "skipjack"."job_queues"."ordering_policy"
      from "skipjack"."job_queues"
      where "skipjack"."job_queues"."queue" = "head"."queue"
    ),
    "head"."ordering_policy",
    'block'
  ) as "policy"
from (
  select 1 as "one"
) as "one"
  left outer join "skipjack"."jobs" as "head"
    on (
      "head"."ordering_key" = cast(? as text)
      and "head"."ordering_head"
    )
