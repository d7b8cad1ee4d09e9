-- parameters: parent, containing
select "skipjack"."create_partition"(
  "parent" := ?,
  "containing" := cast(? as timestamp with time zone)
)
