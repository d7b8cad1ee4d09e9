-- parameters: address, name, payload, sent_by, expires_in, link_id
select "skipjack"."signal"(
  "address" := cast(? as text),
  "name" := cast(? as text),
  "payload" := cast(
    cast(? as text)
    as json
  ),
  "sent_by" := cast(? as text),
  "expires_in" := cast(? as double precision) * interval '1 microsecond',
  "link_id" := cast(? as text)
) as "result"
