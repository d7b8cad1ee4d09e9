-- parameters: ended, job_ids, execution_ids, stacks, problems
with
  "removed" as (
    delete from "skipjack"."job_stacks"
    where "skipjack"."job_stacks"."execution_id" = any (
      cast(
        ?
        as bigint[]
      )
    )
    returning "skipjack"."job_stacks"."execution_id"
  ),
  "recorded" as (
    insert into "skipjack"."job_stacks" (
      "execution_id",
      "job_id",
      "sampled_at",
      "stack",
      "problem"
    )
    select
      "given"."execution_id",
      "given"."job_id",
      clock_timestamp(),
      "given"."stack",
      "given"."problem"
    from unnest(cast(
      ?
      as bigint[]
    ), cast(
      ?
      as bigint[]
    ), cast(
      ?
      as text[]
    ), cast(
      ?
      as text[]
    )) as "given" ("job_id", "execution_id", "stack", "problem")
      join "skipjack"."jobs"
        on (
          "skipjack"."jobs"."id" = "given"."job_id"
          and "skipjack"."jobs"."current_execution_id" = "given"."execution_id"
        )
    on conflict ("execution_id")
    do update
    set
      "job_id" = excluded."job_id",
      "sampled_at" = excluded."sampled_at",
      "stack" = excluded."stack",
      "problem" = excluded."problem"
    returning "skipjack"."job_stacks"."execution_id"
  )
select count(*)
from "recorded"
