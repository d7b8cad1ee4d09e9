-- parameters: 
select (exists (
  select 1 as "one"
  from "skipjack"."outbox_shards"
  where "skipjack"."outbox_shards"."lease_id" <> 0
)) as "is_used"
