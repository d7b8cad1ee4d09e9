-- parameters: position, type, name, micros, undo_kind, undo_queue, undo_payload, undo_payload_version, undo_max_attempts, job_id, execution_id
insert into "skipjack"."job_steps" (
  "job_id",
  "execution_id",
  "position",
  "type",
  "name",
  "result",
  "undo_kind",
  "undo_queue",
  "undo_payload",
  "undo_payload_version",
  "undo_max_attempts"
)
select
  "skipjack"."jobs"."id",
  "skipjack"."jobs"."current_execution_id",
  ?,
  cast(? as text),
  cast(? as text),
  to_jsonb(clock_timestamp() + cast(? as double precision) * interval '1 microsecond'),
  cast(? as text),
  cast(? as text),
  cast(
    cast(? as text)
    as jsonb
  ),
  cast(? as int),
  cast(? as int)
from "skipjack"."jobs"
where (
  "skipjack"."jobs"."id" = ?
  and "skipjack"."jobs"."current_execution_id" = ?
)
on conflict ("job_id", "name")
do update
set
  "execution_id" = excluded."execution_id",
  "at" = clock_timestamp(),
  "position" = excluded."position",
  "type" = excluded."type",
  "result" = excluded."result",
  "undo_kind" = excluded."undo_kind",
  "undo_queue" = excluded."undo_queue",
  "undo_payload" = excluded."undo_payload",
  "undo_payload_version" = excluded."undo_payload_version",
  "undo_max_attempts" = excluded."undo_max_attempts"
where "skipjack"."job_steps"."type" = 'undone'
returning cast("skipjack"."job_steps"."result" as text) as "written"
