-- parameters: limit
select "skipjack"."job_limits"."name"
from "skipjack"."job_limits"
where "skipjack"."job_limits"."name" = cast(? as text)
for no key update
