-- parameters: key
select "skipjack"."jobs"."id", "skipjack"."jobs"."status"
from "skipjack"."jobs"
where "skipjack"."jobs"."unique_key" = cast(? as text)
