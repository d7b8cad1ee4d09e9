-- parameters: 
select
  "skipjack"."jobs"."queue",
  "skipjack"."jobs"."kind",
  "skipjack"."jobs"."status",
  round(count(*) / least(1, 500 * current_setting('block_size')::float8 / greatest(1, pg_relation_size('"skipjack"."jobs"'::regclass))))
from "skipjack"."jobs" tablesample system (100 * least(1, 500 * current_setting('block_size')::float8 / greatest(1, pg_relation_size('"skipjack"."jobs"'::regclass))))
group by "skipjack"."jobs"."queue", "skipjack"."jobs"."kind", "skipjack"."jobs"."status"
