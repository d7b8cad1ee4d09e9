-- parameters: ahead
select "skipjack"."create_partitions"("ahead" := ? * interval '1 microsecond')
