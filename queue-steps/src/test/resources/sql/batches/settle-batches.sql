-- parameters: batches
with
  "ready" as materialized (
    select
      "skipjack"."job_batches"."id",
      "skipjack"."job_batches"."owner_id",
      (
        not (
          (
            select "skipjack"."jobs"."id"
            from "skipjack"."jobs"
            where (
              "skipjack"."jobs"."owner_id" = "skipjack"."job_batches"."id"
              and "skipjack"."jobs"."status" >= 'pending'
              and "skipjack"."jobs"."status" <= 'pending'
            )
            order by "skipjack"."jobs"."status" desc, "skipjack"."jobs"."id" desc
            fetch next 1 rows only
          ) is not null
          or (
            select "skipjack"."jobs"."id"
            from "skipjack"."jobs"
            where (
              "skipjack"."jobs"."owner_id" = "skipjack"."job_batches"."id"
              and "skipjack"."jobs"."status" >= 'running'
              and "skipjack"."jobs"."status" <= 'running'
            )
            order by "skipjack"."jobs"."status" desc, "skipjack"."jobs"."id" desc
            fetch next 1 rows only
          ) is not null
          or (
            select "skipjack"."jobs"."id"
            from "skipjack"."jobs"
            where (
              "skipjack"."jobs"."owner_id" = "skipjack"."job_batches"."id"
              and "skipjack"."jobs"."status" >= 'waiting'
              and "skipjack"."jobs"."status" <= 'waiting'
            )
            order by "skipjack"."jobs"."status" desc, "skipjack"."jobs"."id" desc
            fetch next 1 rows only
          ) is not null
        )
        and not ((
          select "inner_batch"."id"
          from "skipjack"."job_batches" as "inner_batch"
          where (
            "inner_batch"."owner_id" = "skipjack"."job_batches"."id"
            and "inner_batch"."succeeded" is null
          )
          order by "inner_batch"."succeeded"
          fetch next 1 rows only
        ) is not null)
        and (
          "skipjack"."job_batches"."dead_policy" <> 'wait'
          or not ((
            select "skipjack"."jobs"."id"
            from "skipjack"."jobs"
            where (
              "skipjack"."jobs"."owner_id" = "skipjack"."job_batches"."id"
              and "skipjack"."jobs"."status" >= 'dead'
              and "skipjack"."jobs"."status" <= 'dead'
            )
            order by "skipjack"."jobs"."status" desc, "skipjack"."jobs"."id" desc
            fetch next 1 rows only
          ) is not null)
        )
      ) as "has_ended",
      ((
        select "skipjack"."jobs"."id"
        from "skipjack"."jobs"
        where (
          "skipjack"."jobs"."owner_id" = "skipjack"."job_batches"."id"
          and "skipjack"."jobs"."status" >= 'dead'
          and "skipjack"."jobs"."status" <= 'dead'
        )
        order by "skipjack"."jobs"."status" desc, "skipjack"."jobs"."id" desc
        fetch next 1 rows only
      ) is not null) as "has_dead",
      (
        "skipjack"."job_batches"."first_dead_at" is null
        and (
          select "skipjack"."jobs"."id"
          from "skipjack"."jobs"
          where (
            "skipjack"."jobs"."owner_id" = "skipjack"."job_batches"."id"
            and "skipjack"."jobs"."status" >= 'dead'
            and "skipjack"."jobs"."status" <= 'dead'
          )
          order by "skipjack"."jobs"."status" desc, "skipjack"."jobs"."id" desc
          fetch next 1 rows only
        ) is not null
      ) as "is_first_dead"
    from "skipjack"."job_batches"
    where (
      "skipjack"."job_batches"."id" = any (
        cast(
          ?
          as bigint[]
        )
      )
      and "skipjack"."job_batches"."sealed_at" is not null
      and "skipjack"."job_batches"."finished_at" is null
      and (
        (
          not (
            (
              select "skipjack"."jobs"."id"
              from "skipjack"."jobs"
              where (
                "skipjack"."jobs"."owner_id" = "skipjack"."job_batches"."id"
                and "skipjack"."jobs"."status" >= 'pending'
                and "skipjack"."jobs"."status" <= 'pending'
              )
              order by "skipjack"."jobs"."status" desc, "skipjack"."jobs"."id" desc
              fetch next 1 rows only
            ) is not null
            or (
              select "skipjack"."jobs"."id"
              from "skipjack"."jobs"
              where (
                "skipjack"."jobs"."owner_id" = "skipjack"."job_batches"."id"
                and "skipjack"."jobs"."status" >= 'running'
                and "skipjack"."jobs"."status" <= 'running'
              )
              order by "skipjack"."jobs"."status" desc, "skipjack"."jobs"."id" desc
              fetch next 1 rows only
            ) is not null
            or (
              select "skipjack"."jobs"."id"
              from "skipjack"."jobs"
              where (
                "skipjack"."jobs"."owner_id" = "skipjack"."job_batches"."id"
                and "skipjack"."jobs"."status" >= 'waiting'
                and "skipjack"."jobs"."status" <= 'waiting'
              )
              order by "skipjack"."jobs"."status" desc, "skipjack"."jobs"."id" desc
              fetch next 1 rows only
            ) is not null
          )
          and not ((
            select "inner_batch"."id"
            from "skipjack"."job_batches" as "inner_batch"
            where (
              "inner_batch"."owner_id" = "skipjack"."job_batches"."id"
              and "inner_batch"."succeeded" is null
            )
            order by "inner_batch"."succeeded"
            fetch next 1 rows only
          ) is not null)
          and (
            "skipjack"."job_batches"."dead_policy" <> 'wait'
            or not ((
              select "skipjack"."jobs"."id"
              from "skipjack"."jobs"
              where (
                "skipjack"."jobs"."owner_id" = "skipjack"."job_batches"."id"
                and "skipjack"."jobs"."status" >= 'dead'
                and "skipjack"."jobs"."status" <= 'dead'
              )
              order by "skipjack"."jobs"."status" desc, "skipjack"."jobs"."id" desc
              fetch next 1 rows only
            ) is not null)
          )
        )
        or (
          "skipjack"."job_batches"."first_dead_at" is null
          and (
            select "skipjack"."jobs"."id"
            from "skipjack"."jobs"
            where (
              "skipjack"."jobs"."owner_id" = "skipjack"."job_batches"."id"
              and "skipjack"."jobs"."status" >= 'dead'
              and "skipjack"."jobs"."status" <= 'dead'
            )
            order by "skipjack"."jobs"."status" desc, "skipjack"."jobs"."id" desc
            fetch next 1 rows only
          ) is not null
        )
      )
      and "skipjack"."job_batches"."total" = (
        select "seen"."total"
        from "skipjack"."job_batches" as "seen"
        where "seen"."id" = "skipjack"."job_batches"."id"
      )
    )
    order by "skipjack"."job_batches"."id"
    for no key update skip locked
  ),
  "parent" as materialized (
    select "skipjack"."jobs"."id"
    from "skipjack"."jobs"
    where "skipjack"."jobs"."id" = any (
      array(
        select "ready"."owner_id"
        from "ready"
        where "ready"."has_ended"
      )
    )
    order by "skipjack"."jobs"."id"
    for no key update skip locked
  ),
  "settled" as (
    update "skipjack"."job_batches"
    set
      "finished_at" = case
        when "ready"."has_ended" then clock_timestamp()
        else cast(null as timestamptz)
      end,
      "succeeded" = case
        when "ready"."has_ended" then (
          not ((
            select "skipjack"."jobs"."id"
            from "skipjack"."jobs"
            where (
              "skipjack"."jobs"."owner_id" = "ready"."id"
              and "skipjack"."jobs"."status" >= 'dead'
              and "skipjack"."jobs"."status" <= 'dead'
            )
            order by "skipjack"."jobs"."status" desc, "skipjack"."jobs"."id" desc
            fetch next 1 rows only
          ) is not null)
          and (
            select "skipjack"."jobs_archive"."id"
            from "skipjack"."jobs_archive"
            where (
              "skipjack"."jobs_archive"."owner_id" = "ready"."id"
              and "skipjack"."jobs_archive"."status" = 'cancelled'
            )
            fetch next 1 rows only
          ) is null
          and not ((
            select "failed_batch"."id"
            from "skipjack"."job_batches" as "failed_batch"
            where (
              "failed_batch"."owner_id" = "ready"."id"
              and "failed_batch"."succeeded" = false
            )
            order by "failed_batch"."succeeded"
            fetch next 1 rows only
          ) is not null)
        )
      end,
      "first_dead_at" = case
        when "ready"."is_first_dead" then clock_timestamp()
        else "skipjack"."job_batches"."first_dead_at"
      end,
      "cancelled_at" = case
        when (
          "ready"."has_dead" = true
          and "skipjack"."job_batches"."dead_policy" = 'cancel_rest'
        ) then coalesce(
          "skipjack"."job_batches"."cancelled_at",
          clock_timestamp()
        )
        else "skipjack"."job_batches"."cancelled_at"
      end
    from "ready"
    where (
      "skipjack"."job_batches"."id" = "ready"."id"
      and "skipjack"."job_batches"."id" = any (
        array(
          select "ready"."id"
          from "ready"
        )
      )
      and (
        "ready"."has_ended" = false
        or "ready"."owner_id" is null
        or "ready"."owner_id" = any (
          array(
            select "parent"."id"
            from "parent"
          )
        )
        or not exists (
          select 1 as "one"
          from "skipjack"."jobs"
          where "skipjack"."jobs"."id" = "ready"."owner_id"
        )
      )
    )
    returning 
      "skipjack"."job_batches"."id",
      "skipjack"."job_batches"."owner_id",
      "skipjack"."job_batches"."name",
      "skipjack"."job_batches"."succeeded",
      "skipjack"."job_batches"."cancelled_at",
      "ready"."has_ended" as "is_finished",
      "ready"."is_first_dead",
      "skipjack"."job_batches"."finish_kind",
      "skipjack"."job_batches"."finish_queue",
      "skipjack"."job_batches"."finish_payload",
      "skipjack"."job_batches"."finish_payload_version",
      "skipjack"."job_batches"."finish_priority",
      "skipjack"."job_batches"."finish_max_attempts",
      "skipjack"."job_batches"."success_kind",
      "skipjack"."job_batches"."success_queue",
      "skipjack"."job_batches"."success_payload",
      "skipjack"."job_batches"."success_payload_version",
      "skipjack"."job_batches"."success_priority",
      "skipjack"."job_batches"."success_max_attempts",
      "skipjack"."job_batches"."first_dead_kind",
      "skipjack"."job_batches"."first_dead_queue",
      "skipjack"."job_batches"."first_dead_payload",
      "skipjack"."job_batches"."first_dead_payload_version",
      "skipjack"."job_batches"."first_dead_priority",
      "skipjack"."job_batches"."first_dead_max_attempts"
  ),
  "resumed" as (
    update "skipjack"."jobs"
    set
      "signals" = (least(
        coalesce("skipjack"."jobs"."signals", 0),
        2147483646
      ) + 1),
      "scheduled_at" = case
        when (
          "skipjack"."jobs"."status" = 'pending'
          and exists (
            select 1 as "one"
            from "settled"
            where (
              "settled"."owner_id" = "skipjack"."jobs"."id"
              and "settled"."name" = "skipjack"."jobs"."awaits"
              and "settled"."is_finished"
            )
          )
        ) then clock_timestamp()
        else "skipjack"."jobs"."scheduled_at"
      end,
      "updated_at" = clock_timestamp()
    where (
      "skipjack"."jobs"."id" = any (
        array(
          select "parent"."id"
          from "parent"
        )
      )
      and "skipjack"."jobs"."id" = any (
        array(
          select "settled"."owner_id"
          from "settled"
          where "settled"."is_finished"
        )
      )
    )
    returning 
      "skipjack"."jobs"."id",
      "skipjack"."jobs"."queue",
      "skipjack"."jobs"."priority",
      "skipjack"."jobs"."kind",
      (
        "skipjack"."jobs"."status" = 'pending'
        and exists (
          select 1 as "one"
          from "settled"
          where (
            "settled"."owner_id" = "skipjack"."jobs"."id"
            and "settled"."name" = "skipjack"."jobs"."awaits"
            and "settled"."is_finished"
          )
        )
      ) as "is_due"
  )
select
  "settled"."id",
  "settled"."owner_id",
  "settled"."succeeded",
  "settled"."cancelled_at",
  "settled"."is_finished",
  "settled"."is_first_dead",
  "settled"."finish_kind",
  "settled"."finish_queue",
  "settled"."finish_payload",
  "settled"."finish_payload_version",
  "settled"."finish_priority",
  "settled"."finish_max_attempts",
  "settled"."success_kind",
  "settled"."success_queue",
  "settled"."success_payload",
  "settled"."success_payload_version",
  "settled"."success_priority",
  "settled"."success_max_attempts",
  "settled"."first_dead_kind",
  "settled"."first_dead_queue",
  "settled"."first_dead_payload",
  "settled"."first_dead_payload_version",
  "settled"."first_dead_priority",
  "settled"."first_dead_max_attempts",
  "resumed"."queue",
  "resumed"."priority",
  "resumed"."kind",
  "resumed"."is_due"
from "settled"
  left outer join "resumed"
    on "resumed"."id" = "settled"."owner_id"
order by "settled"."id"
