-- parameters: batch
select "skipjack"."jobs_archive"."id", "skipjack"."jobs_archive"."status", "skipjack"."jobs_archive"."result", "skipjack"."jobs_archive"."last_error"
from "skipjack"."jobs_archive"
where "skipjack"."jobs_archive"."owner_id" = ?
order by "skipjack"."jobs_archive"."id"
