-- parameters: unique_keys, twin_ids, next_keys, twin_ids, unique_keys, twin_ids, next_keys, twin_ids, unique_keys, twin_ids, next_keys, twin_ids, unique_keys, twin_ids, next_keys
with
  "unused" as materialized (
    select "skipjack"."jobs"."id"
    from "skipjack"."jobs"
      join unnest(cast(
        ?
        as text[]
      ), cast(
        ?
        as bigint[]
      ), cast(
        ?
        as text[]
      )) with ordinality as "given" ("unique_key", "twin_id", "next_key", "position")
        on "skipjack"."jobs"."id" = "given"."twin_id"
    where (
      "skipjack"."jobs"."id" = any (
        cast(
          ?
          as bigint[]
        )
      )
      and "skipjack"."jobs"."unique_key" is not distinct from "given"."unique_key"
      and case
        when "skipjack"."jobs"."status" in (
          'pending', 'waiting'
        ) then ("skipjack"."jobs"."attempts" = "skipjack"."jobs"."uncounted_attempts")
        else false
      end
      and not (
        "given"."next_key" is not null
        and "skipjack"."jobs"."unique_until" is not distinct from 'started'
        and "skipjack"."jobs"."scheduled_at" < statement_timestamp() + cast(-1000000 as double precision) * interval '1 microsecond'
      )
    )
    order by "given"."position"
    for share of "jobs"
  ),
  "late" as materialized (
    select "skipjack"."jobs"."id"
    from "skipjack"."jobs"
      join unnest(cast(
        ?
        as text[]
      ), cast(
        ?
        as bigint[]
      ), cast(
        ?
        as text[]
      )) with ordinality as "given" ("unique_key", "twin_id", "next_key", "position")
        on "skipjack"."jobs"."id" = "given"."twin_id"
    where (
      "skipjack"."jobs"."id" = any (
        cast(
          ?
          as bigint[]
        )
      )
      and "skipjack"."jobs"."unique_key" is not distinct from "given"."unique_key"
      and case
        when "skipjack"."jobs"."status" in (
          'pending', 'waiting'
        ) then ("skipjack"."jobs"."attempts" = "skipjack"."jobs"."uncounted_attempts")
        else false
      end
      and "given"."next_key" is not null
      and "skipjack"."jobs"."unique_until" is not distinct from 'started'
      and "skipjack"."jobs"."scheduled_at" < statement_timestamp() + cast(-1000000 as double precision) * interval '1 microsecond'
      and not (
        "given"."next_key" is not null
        and "skipjack"."jobs"."unique_until" is not distinct from 'started'
        and "skipjack"."jobs"."scheduled_at" < now() + cast(-1000000 as double precision) * interval '1 microsecond'
      )
    )
    order by "given"."position"
    for share of "jobs" skip locked
  ),
  "overdue" as materialized (
    select "skipjack"."jobs"."id"
    from "skipjack"."jobs"
      join unnest(cast(
        ?
        as text[]
      ), cast(
        ?
        as bigint[]
      ), cast(
        ?
        as text[]
      )) with ordinality as "given" ("unique_key", "twin_id", "next_key", "position")
        on "skipjack"."jobs"."id" = "given"."twin_id"
    where (
      "skipjack"."jobs"."id" = any (
        cast(
          ?
          as bigint[]
        )
      )
      and "skipjack"."jobs"."unique_key" is not distinct from "given"."unique_key"
      and case
        when "skipjack"."jobs"."status" in (
          'pending', 'waiting'
        ) then ("skipjack"."jobs"."attempts" = "skipjack"."jobs"."uncounted_attempts")
        else false
      end
      and case
        when (
          "given"."next_key" is not null
          and "skipjack"."jobs"."unique_until" is not distinct from 'started'
          and "skipjack"."jobs"."scheduled_at" < now() + cast(-1000000 as double precision) * interval '1 microsecond'
        ) then (not exists (
          select 1 as "one"
          from "skipjack"."jobs" as "next"
          where "next"."unique_key" = "given"."next_key"
        ))
        else false
      end
    )
    order by "given"."position"
    for no key update of "jobs" skip locked
  )
select
  case
    when "twin"."is_overdue" then coalesce(
      ("given"."twin_id" in (
        select "overdue"."id"
        from "overdue"
      )),
      false
    )
    when "twin"."is_late" then coalesce(
      ("given"."twin_id" in (
        select "late"."id"
        from "late"
      )),
      false
    )
    else coalesce(
      ("given"."twin_id" in (
        select "unused"."id"
        from "unused"
      )),
      false
    )
  end,
  false,
  "twin"."status",
  "twin"."has_used_attempt",
  "twin"."is_grippable",
  "twin"."is_late"
from unnest(cast(
  ?
  as text[]
), cast(
  ?
  as bigint[]
), cast(
  ?
  as text[]
)) with ordinality as "given" ("unique_key", "twin_id", "next_key", "position")
  left outer join lateral (
    select
      "holder"."status",
      ("holder"."attempts" > "holder"."uncounted_attempts") as "has_used_attempt",
      case
        when "holder"."status" in (
          'pending', 'waiting'
        ) then ("holder"."attempts" = "holder"."uncounted_attempts")
        else false
      end as "is_grippable",
      (
        "given"."next_key" is not null
        and "holder"."unique_until" is not distinct from 'started'
        and "holder"."scheduled_at" < now() + cast(-1000000 as double precision) * interval '1 microsecond'
      ) as "is_overdue",
      (
        "given"."next_key" is not null
        and "holder"."unique_until" is not distinct from 'started'
        and "holder"."scheduled_at" < statement_timestamp() + cast(-1000000 as double precision) * interval '1 microsecond'
      ) as "is_late"
    from "skipjack"."jobs" as "holder"
    where (
      "holder"."id" = "given"."twin_id"
      and "holder"."unique_key" is not distinct from "given"."unique_key"
    )
    fetch next 1 rows only
  ) as "twin"
    on true
order by "given"."position"
