-- parameters: key
select
  "skipjack"."jobs"."id",
  "skipjack"."jobs"."status",
  ("skipjack"."jobs"."attempts" > "skipjack"."jobs"."forgiven")
from "skipjack"."jobs"
where "skipjack"."jobs"."unique_key" = cast(? as text)
