-- parameters: 
select
  current_setting('fsync') as "fsync",
  current_setting('full_page_writes') as "full_page_writes",
  current_setting('synchronous_commit') as "synchronous_commit"
