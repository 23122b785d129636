-- What merchants hear: events, the endpoints they go to, and every try to bring them there.

create table svc.events (
  account_id text collate "C" not null,
  mode svc.mode not null,
  id text collate "C" not null,
  type text not null check (
    type in (
      'payment_intent.created', 'x402_upto_authorization_received', 'payment.created', 'payment.updated',
      'payment.completed', 'payment.failed', 'payment.cancelled', 'payment.refunded'
    )
  ),
  intent_id text collate "C" not null,
  payment_id text collate "C",
  -- Grows per intent.
  sequence integer not null check (sequence > 0),
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
  event_types text[] not null check (
    cardinality(event_types) > 0
    and event_types <@ array[
      'payment_intent.created', 'x402_upto_authorization_received', 'payment.created', 'payment.updated',
      'payment.completed', 'payment.failed', 'payment.cancelled', 'payment.refunded'
    ]
  ),
  -- Retries after the first try.
  retry_count smallint not null default 10 check (retry_count between 0 and 36),
  timeout_seconds smallint not null default 5 check (timeout_seconds between 1 and 30),
  headers_ciphertext bytea,
  secret_ciphertext bytea,
  status text not null check (status in ('enabled', 'disabled', 'deleted')),
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
  status text not null check (status in ('pending', 'succeeded', 'failed', 'discarded')),
  attempt_count integer not null default 0 check (attempt_count >= 0),
  next_at timestamptz,
  lease_until timestamptz,
  -- Grows with every lease: a sender whose lease ran out can't record over the next one.
  fence bigint not null default 0,
  reason text,
  created_at timestamptz not null,
  finished_at timestamptz,
  primary key (account_id, mode, event_id, endpoint_id),
  check ((status = 'pending') = (next_at is not null)),
  check ((status = 'pending') = (finished_at is null)),
  check (status not in ('failed', 'discarded') or reason is not null)
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
  attempt integer not null check (attempt > 0),
  outcome text not null check (
    outcome in ('succeeded', 'refused', 'timed_out', 'unreachable', 'blocked', 'our_fault')
  ),
  response_status integer check (response_status between 100 and 999),
  address text,
  dns_ms integer check (dns_ms >= 0),
  connect_ms integer check (connect_ms >= 0),
  tls_ms integer check (tls_ms >= 0),
  first_byte_ms integer check (first_byte_ms >= 0),
  total_ms integer not null check (total_ms >= 0),
  -- Values masked.
  request_headers jsonb not null default '{}',
  response_headers jsonb not null default '{}',
  response_excerpt bytea check (octet_length(response_excerpt) <= 20480),
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
