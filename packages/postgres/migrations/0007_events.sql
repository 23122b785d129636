-- What merchants hear: events, the endpoints they go to, and every try to bring them there.

create domain svc.event_type as text check (
  value in (
    'payment_intent.created', 'x402_upto_authorization_received', 'payment.created', 'payment.updated',
    'payment.completed', 'payment.failed', 'payment.cancelled', 'payment.refunded'
  )
);
-- Not an array of the domain above: drivers know how to read text[] alone.
create domain svc.event_types as text[] check (
  cardinality(value) > 0
  and value <@ array[
    'payment_intent.created', 'x402_upto_authorization_received', 'payment.created', 'payment.updated',
    'payment.completed', 'payment.failed', 'payment.cancelled', 'payment.refunded'
  ]
);
create domain svc.endpoint_status as text check (value in ('enabled', 'disabled', 'deleted'));
create domain svc.delivery_status as text check (value in ('pending', 'succeeded', 'failed', 'discarded'));
create domain svc.delivery_outcome as text check (
  value in ('succeeded', 'refused', 'timed_out', 'unreachable', 'blocked', 'our_fault')
);

create table svc.events (
  account_id text collate "C" not null,
  mode svc.mode not null,
  id text collate "C" not null,
  type svc.event_type not null,
  intent_id text collate "C" not null,
  payment_id text collate "C",
  -- Grows per intent.
  sequence integer not null,
  api_version text not null,
  -- Serialised once: every delivery of the event sends these bytes.
  body bytea not null,
  request_id text collate "C",
  created_at timestamptz not null,
  primary key (account_id, mode, id)
) partition by range (id);

create table svc.events_default partition of svc.events default;

create index events_of_intent on svc.events (account_id, mode, intent_id, sequence);

create table svc.endpoints (
  account_id text collate "C" not null,
  mode svc.mode not null,
  id text collate "C" not null,
  url text not null,
  event_types svc.event_types not null,
  -- Retries after the first try.
  retry_count smallint not null default 10 check (retry_count between 0 and 36),
  timeout_seconds smallint not null default 5 check (timeout_seconds between 1 and 30),
  headers_ciphertext bytea,
  secret_ciphertext bytea,
  status svc.endpoint_status not null,
  disabled_reason text,
  api_version text not null,
  failing_since timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, mode, id),
  foreign key (account_id, mode) references svc.account_modes
);

create table svc.deliveries (
  account_id text collate "C" not null,
  mode svc.mode not null,
  event_id text collate "C" not null,
  endpoint_id text collate "C" not null,
  status svc.delivery_status not null,
  attempt_count integer not null default 0,
  next_at timestamptz,
  lease_until timestamptz,
  -- Grows with every lease: a sender whose lease ran out can't record over the next one.
  fence bigint not null default 0,
  reason text,
  created_at timestamptz not null,
  finished_at timestamptz,
  primary key (account_id, mode, event_id, endpoint_id),
  check (
    (status = 'pending') = (next_at is not null)
    and (status = 'pending') = (finished_at is null)
    and (status in ('pending', 'succeeded') or reason is not null)
  )
) partition by range (event_id);

create table svc.deliveries_default partition of svc.deliveries default;

create index deliveries_due on svc.deliveries (next_at) where status = 'pending';
create index deliveries_due_of_endpoint on svc.deliveries (endpoint_id, next_at) where status = 'pending';
create index deliveries_of_endpoint on svc.deliveries (account_id, mode, endpoint_id, event_id);

create table svc.delivery_attempts (
  account_id text collate "C" not null,
  mode svc.mode not null,
  event_id text collate "C" not null,
  endpoint_id text collate "C" not null,
  attempt integer not null,
  outcome svc.delivery_outcome not null,
  response_status integer,
  address text,
  dns_ms integer,
  connect_ms integer,
  tls_ms integer,
  first_byte_ms integer,
  total_ms integer not null,
  -- Values masked.
  request_headers jsonb not null default '{}',
  response_headers jsonb not null default '{}',
  response_excerpt bytea,
  error text,
  started_at timestamptz not null,
  next_at timestamptz,
  primary key (account_id, mode, event_id, endpoint_id, attempt)
) partition by range (event_id);

create table svc.delivery_attempts_default partition of svc.delivery_attempts default;

insert into svc.history (table_name, id_prefix, months_kept) values
  ('events', 'evt', 13),
  ('deliveries', 'evt', 13),
  ('delivery_attempts', 'evt', 3);
