-- parameters: key
select
  "skipjack"."job_keys"."job_id",
  "skipjack"."jobs"."status",
  ("skipjack"."jobs"."attempts" > "skipjack"."jobs"."uncounted_attempts")
from "skipjack"."job_keys"
  left outer join "skipjack"."jobs"
    on "skipjack"."jobs"."id" = "skipjack"."job_keys"."job_id"
where (
  "skipjack"."job_keys"."key" = cast(? as text)
  and "skipjack"."job_keys"."expires_at" > clock_timestamp()
)
