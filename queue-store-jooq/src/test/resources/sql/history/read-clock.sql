-- parameters: 
select clock_timestamp()
