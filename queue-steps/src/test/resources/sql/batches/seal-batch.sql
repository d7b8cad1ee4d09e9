-- parameters: policy, finish_kind, finish_queue, finish_payload, finish_payload_version, finish_priority, finish_max_attempts, success_kind, success_queue, success_payload, success_payload_version, success_priority, success_max_attempts, first_dead_kind, first_dead_queue, first_dead_payload, first_dead_payload_version, first_dead_priority, first_dead_max_attempts, batch
update "skipjack"."job_batches"
set
  "sealed_at" = clock_timestamp(),
  "dead_policy" = cast(? as text),
  "finish_kind" = cast(? as text),
  "finish_queue" = cast(? as text),
  "finish_payload" = cast(cast(? as text) as jsonb),
  "finish_payload_version" = cast(? as int),
  "finish_priority" = cast(? as smallint),
  "finish_max_attempts" = cast(? as int),
  "success_kind" = cast(? as text),
  "success_queue" = cast(? as text),
  "success_payload" = cast(cast(? as text) as jsonb),
  "success_payload_version" = cast(? as int),
  "success_priority" = cast(? as smallint),
  "success_max_attempts" = cast(? as int),
  "first_dead_kind" = cast(? as text),
  "first_dead_queue" = cast(? as text),
  "first_dead_payload" = cast(cast(? as text) as jsonb),
  "first_dead_payload_version" = cast(? as int),
  "first_dead_priority" = cast(? as smallint),
  "first_dead_max_attempts" = cast(? as int)
where (
  "skipjack"."job_batches"."id" = ?
  and "skipjack"."job_batches"."sealed_at" is null
)
returning "skipjack"."job_batches"."id"
