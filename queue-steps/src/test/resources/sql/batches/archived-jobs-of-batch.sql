-- parameters: largest, largest, batch
select
  "skipjack"."jobs_archive"."id",
  "skipjack"."jobs_archive"."status",
  case
    when sum(coalesce(
      octet_length(cast("skipjack"."jobs_archive"."result" as text)),
      0
    )) over (order by "skipjack"."jobs_archive"."id") <= cast(? as numeric) then cast("skipjack"."jobs_archive"."result" as text)
  end as "result_that_fits",
  "skipjack"."jobs_archive"."last_error",
  (not (sum(coalesce(
    octet_length(cast("skipjack"."jobs_archive"."result" as text)),
    0
  )) over (order by "skipjack"."jobs_archive"."id") <= cast(? as numeric))) as "is_too_large"
from "skipjack"."jobs_archive"
where "skipjack"."jobs_archive"."owner_id" = ?
order by "skipjack"."jobs_archive"."id"
