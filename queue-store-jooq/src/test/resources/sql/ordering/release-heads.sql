-- parameters: ids, died_ats, policies, ids
with
  "unlocked" as materialized (
    select "skipjack"."jobs"."id"
    from "skipjack"."jobs"
      join unnest(cast(
        ?
        as bigint[]
      ), cast(
        ?
        as timestamp with time zone[]
      ), cast(
        ?
        as text[]
      )) as "given" ("id", "died_at", "policy")
        on "skipjack"."jobs"."id" = "given"."id"
    where (
      "skipjack"."jobs"."id" = any (
        cast(
          ?
          as bigint[]
        )
      )
      and "skipjack"."jobs"."ordering_head"
      and "skipjack"."jobs"."status" = 'dead'
      and "skipjack"."jobs"."died_at" = "given"."died_at"
      and coalesce(
        (
          select "skipjack"."job_queues"."ordering_policy"
          from "skipjack"."job_queues"
          where "skipjack"."job_queues"."queue" = "skipjack"."jobs"."queue"
        ),
        "skipjack"."jobs"."ordering_policy",
        'block'
      ) = "given"."policy"
    )
    order by "skipjack"."jobs"."ordering_key"
    for no key update of "jobs" skip locked
  ),
  "released" as (
    update "skipjack"."jobs"
    set
      "ordering_head" = cast(null as boolean),
      "updated_at" = clock_timestamp()
    where "skipjack"."jobs"."id" = any (
      array(
        select "unlocked"."id"
        from "unlocked"
      )
    )
    returning "skipjack"."jobs"."ordering_key"
  )
select "released"."ordering_key"
from "released"
