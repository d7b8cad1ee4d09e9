-- parameters: 
select "skipjack"."job_workers"."queues", "skipjack"."job_workers"."kinds"
from "skipjack"."job_workers"
where "skipjack"."job_workers"."seen_at" between now() - cast(180000000 as double precision) * interval '1 microsecond' and now() + cast(180000000 as double precision) * interval '1 microsecond'
order by "skipjack"."job_workers"."seen_at" desc
fetch next 1000 rows only
