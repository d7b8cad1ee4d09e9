-- parameters: event_ids, statuses, attempts, errors
update "skipjack"."outbox_events"
set
  "status" = "given"."status",
  "attempts" = "given"."attempts",
  "last_error" = coalesce("given"."error", "skipjack"."outbox_events"."last_error"),
  "died_at" = case
    when "given"."status" in (
      'dead', 'skipped'
    ) then clock_timestamp()
    else cast(null as timestamp with time zone)
  end
from unnest(cast(
  ?
  as uuid[]
), cast(
  ?
  as text[]
), cast(
  ?
  as int[]
), cast(
  ?
  as text[]
)) as "given" ("event_id", "status", "attempts", "error")
where (
  "skipjack"."outbox_events"."event_id" = "given"."event_id"
  and (
    "given"."status" in (
      'dead', 'skipped'
    )
    or (
      select "skipjack"."outbox_blocked"."shard"
      from "skipjack"."outbox_blocked"
      where (
        "skipjack"."outbox_blocked"."aggregate_type" = "skipjack"."outbox_events"."aggregate_type"
        and "skipjack"."outbox_blocked"."aggregate_id" = "skipjack"."outbox_events"."aggregate_id"
      )
    ) is not null
  )
)
returning "skipjack"."outbox_events"."event_id"
