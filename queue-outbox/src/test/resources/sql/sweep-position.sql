-- parameters: 
select case
  when "is_called" then "last_value"
  else ("last_value" - 1)
end as "position"
from "skipjack"."outbox_events_position_seq"
