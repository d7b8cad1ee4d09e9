-- parameters: name, owner
insert into "skipjack"."job_batches" ("name", "owner_id")
values (
  cast(? as text), 
  cast(? as bigint)
)
returning "skipjack"."job_batches"."id"
