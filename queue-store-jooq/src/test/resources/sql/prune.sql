-- parameters: ids, ids
with
  "locked" as materialized (
    select "skipjack"."jobs"."id", "skipjack"."jobs"."status"
    from "skipjack"."jobs"
    where "skipjack"."jobs"."id" = any (
      cast(
        ?
        as bigint[]
      )
    )
    order by "skipjack"."jobs"."id"
    for update skip locked
  ),
  "pruned" as (
    delete from "skipjack"."jobs"
    where "skipjack"."jobs"."id" = any (
      array(
        select "locked"."id"
        from "locked"
        where "locked"."status" = 'dead'
      )
    )
    returning 
      "skipjack"."jobs"."id",
      "skipjack"."jobs"."queue",
      "skipjack"."jobs"."kind",
      "skipjack"."jobs"."payload",
      "skipjack"."jobs"."payload_version",
      "skipjack"."jobs"."priority",
      "skipjack"."jobs"."scheduled_at",
      "skipjack"."jobs"."created_at",
      "skipjack"."jobs"."started_at",
      "skipjack"."jobs"."attempts",
      "skipjack"."jobs"."uncounted_attempts",
      "skipjack"."jobs"."max_attempts",
      "skipjack"."jobs"."locked_by",
      "skipjack"."jobs"."last_error",
      "skipjack"."jobs"."unique_label",
      "skipjack"."jobs"."ordering_key",
      "skipjack"."jobs"."group_key",
      "skipjack"."jobs"."tags",
      "skipjack"."jobs"."headers",
      "skipjack"."jobs"."current_execution_id" as "execution_id",
      "skipjack"."jobs"."owner_id"
  ),
  "archived" as (
    insert into "skipjack"."jobs_archive" (
      "id",
      "queue",
      "kind",
      "payload",
      "payload_version",
      "priority",
      "scheduled_at",
      "created_at",
      "started_at",
      "attempts",
      "uncounted_attempts",
      "max_attempts",
      "worker_id",
      "last_error",
      "unique_label",
      "ordering_key",
      "group_key",
      "tags",
      "headers",
      "execution_id",
      "owner_id",
      "status"
    )
    select
      "pruned"."id",
      "pruned"."queue",
      "pruned"."kind",
      "pruned"."payload",
      "pruned"."payload_version",
      "pruned"."priority",
      "pruned"."scheduled_at",
      "pruned"."created_at",
      "pruned"."started_at",
      "pruned"."attempts",
      "pruned"."uncounted_attempts",
      "pruned"."max_attempts",
      "pruned"."locked_by",
      "pruned"."last_error",
      "pruned"."unique_label",
      "pruned"."ordering_key",
      "pruned"."group_key",
      "pruned"."tags",
      "pruned"."headers",
      "pruned"."execution_id",
      "pruned"."owner_id",
      'cancelled'
    from "pruned"
    where "pruned"."owner_id" is not null
    returning "skipjack"."jobs_archive"."id"
  )
select
  case
    when "pruned"."id" is not null then 'PRUNED'
    when "locked"."id" is not null then 'NOT_DEAD'
    when exists (
      select 1 as "one"
      from "skipjack"."jobs"
      where "skipjack"."jobs"."id" = "given"."id"
    ) then 'BUSY'
    else 'GONE'
  end,
  "pruned"."ordering_key",
  "pruned"."owner_id"
from pg_catalog.unnest(cast(
  ?
  as bigint[]
)) with ordinality as "given" ("id", "position")
  left outer join "locked"
    on "locked"."id" = "given"."id"
  left outer join "pruned"
    on "pruned"."id" = "given"."id"
order by "given"."position"
