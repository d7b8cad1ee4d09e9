-- parameters: version
select "skipjack"."job_schedules"."name"
from "skipjack"."job_schedules"
where (("skipjack"."job_schedules"."zone_rules") collate "C") < cast(? as text)
order by "skipjack"."job_schedules"."name"
