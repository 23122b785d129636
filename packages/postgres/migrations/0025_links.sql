-- A payment names its transaction from the first attempt to send it, and an endpoint may ask for `payment_intent.canceled`.

-- What the payments of a batch name. Written with the payments, so that a lane knows without reading them.
alter table svc.batches
  add column linked_transaction_id text collate "C",
  -- The block in which the batch was seen while it waits for confirmations.
  add column seen_block_hash text collate "C";

-- Not validated: every value of before is still allowed, and the table of events is not read.
alter domain svc.event_type drop constraint event_type_check;
alter domain svc.event_type add constraint event_type_check check (
  value in (
    'payment_intent.created', 'x402_upto_authorization_received', 'payment_intent.canceled', 'payment.created',
    'payment.updated', 'payment.completed', 'payment.failed', 'payment.cancelled', 'payment.refunded'
  )
) not valid;
alter domain svc.event_types drop constraint event_types_check;
alter domain svc.event_types add constraint event_types_check check (
  cardinality(value) > 0
  and value <@ array[
    'payment_intent.created', 'x402_upto_authorization_received', 'payment_intent.canceled', 'payment.created',
    'payment.updated', 'payment.completed', 'payment.failed', 'payment.cancelled', 'payment.refunded'
  ]
) not valid;

-- The API cancels intents, and settlement lets them expire.
alter policy api_announces on svc.events with check (
  (
    type in ('payment_intent.created', 'x402_upto_authorization_received', 'payment_intent.canceled')
      and payment_id is null
    or mode = 'test' and payment_id is not null
  )
  and substring(body from octet_length(body) - octet_length(type) - 10)
    = convert_to(',"type":"' || type || '"}', 'UTF8')
  or has_table_privilege('svc.batches', 'insert')
);
alter policy settlement_announces on svc.events with check (
  payment_id is not null
  or type in ('payment_intent.created', 'x402_upto_authorization_received', 'payment_intent.canceled')
);
