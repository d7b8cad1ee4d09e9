-- parameters: key
select
  "skipjack"."jobs"."id",
  "skipjack"."jobs"."status",
  ("skipjack"."jobs"."attempts" > "skipjack"."jobs"."uncounted_attempts")
from "skipjack"."jobs"
where "skipjack"."jobs"."unique_key" = cast(? as text)
