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
    for no key update skip locked
  ),
  "deletable" as materialized (
    select "skipjack"."jobs"."id"
    from "skipjack"."jobs"
    where "skipjack"."jobs"."id" = any (
      array(
        select "locked"."id"
        from "locked"
        where "locked"."status" in (
          'pending', 'waiting'
        )
      )
    )
    order by "skipjack"."jobs"."id"
    for update skip locked
  ),
  "cancelled" as (
    delete from "skipjack"."jobs"
    where "skipjack"."jobs"."id" = any (
      array(
        select "deletable"."id"
        from "deletable"
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
      "cancelled"."id",
      "cancelled"."queue",
      "cancelled"."kind",
      "cancelled"."payload",
      "cancelled"."payload_version",
      "cancelled"."priority",
      "cancelled"."scheduled_at",
      "cancelled"."created_at",
      "cancelled"."started_at",
      "cancelled"."attempts",
      "cancelled"."uncounted_attempts",
      "cancelled"."max_attempts",
      "cancelled"."locked_by",
      "cancelled"."last_error",
      "cancelled"."unique_label",
      "cancelled"."ordering_key",
      "cancelled"."group_key",
      "cancelled"."tags",
      "cancelled"."headers",
      "cancelled"."execution_id",
      "cancelled"."owner_id",
      'cancelled'
    from "cancelled"
    where not exists (
      select 1 as "one"
      from "skipjack"."job_queues"
      where (
        "skipjack"."job_queues"."queue" = "cancelled"."queue"
        and "skipjack"."job_queues"."archive_retention" = cast(interval '0 years 0 mons 0 days 0 hours 0 mins 0.0 secs' as interval)
        and "cancelled"."owner_id" is null
      )
    )
    returning "skipjack"."jobs_archive"."id"
  ),
  "requested" as (
    update "skipjack"."jobs"
    set
      "cancel_requested_at" = coalesce(
        "skipjack"."jobs"."cancel_requested_at",
        clock_timestamp()
      ),
      "updated_at" = clock_timestamp()
    where "skipjack"."jobs"."id" = any (
      array(
        select "locked"."id"
        from "locked"
        where "locked"."status" in ('running')
      )
    )
    returning "skipjack"."jobs"."id"
  )
select
  case
    when "cancelled"."id" is not null then 'CANCELLED'
    when "requested"."id" is not null then 'REQUESTED'
    when "locked"."status" = 'dead' then 'DEAD'
    when exists (
      select 1 as "one"
      from "skipjack"."jobs"
      where "skipjack"."jobs"."id" = "given"."id"
    ) then 'BUSY'
    else 'GONE'
  end,
  "cancelled"."ordering_key",
  "cancelled"."owner_id"
from pg_catalog.unnest(cast(
  ?
  as bigint[]
)) with ordinality as "given" ("id", "position")
  left outer join "locked"
    on "locked"."id" = "given"."id"
  left outer join "cancelled"
    on "cancelled"."id" = "given"."id"
  left outer join "requested"
    on "requested"."id" = "given"."id"
order by "given"."position"
