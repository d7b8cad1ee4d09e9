-- parameters: batch
with
  "left_over" as materialized (
    select "skipjack"."job_stacks"."execution_id"
    from "skipjack"."job_stacks"
    where not exists (
      select 1 as "one"
      from "skipjack"."jobs"
      where (
        "skipjack"."jobs"."id" = "skipjack"."job_stacks"."job_id"
        and "skipjack"."jobs"."current_execution_id" = "skipjack"."job_stacks"."execution_id"
      )
    )
    fetch next ? rows only
    for update of "job_stacks" skip locked
  ),
  "pruned" as (
    delete from "skipjack"."job_stacks"
    where "skipjack"."job_stacks"."execution_id" = any (
      array(
        select "left_over"."execution_id"
        from "left_over"
      )
    )
    returning "skipjack"."job_stacks"."execution_id"
  )
select count(*)
from "pruned"
