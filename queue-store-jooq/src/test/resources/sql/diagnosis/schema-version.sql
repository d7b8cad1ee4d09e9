-- parameters: 
select "skipjack"."schema_version"() as "version"
