-- Events, the endpoints of merchants, and every attempt to deliver an event.

create domain svc.event_type as text check (
  value in (
    'payment_intent.created', 'x402_upto_authorization_received', 'payment.created', 'payment.updated',
    'payment.completed', 'payment.failed', 'payment.cancelled', 'payment.refunded'
  )
);
-- Not an array of the domain above: the driver parses only text[].
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
create domain svc.event_replay_status as text check (value in ('running', 'done', 'failed'));
-- `failed`: events that the endpoint did not get. `all`: every event of the range.
create domain svc.event_replay_scope as text check (value in ('failed', 'all'));

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

-- One index for each way to list events; newest first is by id.
create index events_of_intent on svc.events (account_id, mode, intent_id, sequence);
create index events_of_type on svc.events (account_id, mode, type, id);
create index events_of_payment on svc.events (account_id, mode, payment_id, id) where payment_id is not null;

create table svc.endpoints (
  account_id text collate "C" not null,
  mode svc.mode not null,
  id text collate "C" not null,
  url text not null,
  event_types svc.event_types not null,
  -- Retries after the first attempt.
  retry_count smallint not null default 10 check (retry_count between 0 and 36),
  timeout_seconds smallint not null default 5 check (timeout_seconds between 1 and 30),
  -- Encrypted with the public half of the master key: the API writes headers and secrets and can't read them.
  headers_ciphertext bytea,
  -- The names of the encrypted headers, for display.
  header_names text[] not null default '{}' check (cardinality(header_names) <= 20),
  secret_ciphertext bytea,
  -- Signs beside the current secret until it expires.
  previous_secret_ciphertext bytea,
  previous_secret_expires_at timestamptz,
  status svc.endpoint_status not null,
  disabled_reason text,
  api_version text not null,
  failing_since timestamptz,
  -- When its owner was last warned that it will be disabled.
  warned_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, mode, id),
  foreign key (account_id, mode) references svc.account_modes,
  constraint endpoints_previous_secret
    check ((previous_secret_ciphertext is null) = (previous_secret_expires_at is null))
);

create index endpoints_failing on svc.endpoints (failing_since) where status = 'enabled' and failing_since is not null;

-- One event for one endpoint. While a delivery is leased, `next_at` is the end of the lease: if the sender records nothing,
-- the delivery is due again. The deliveries of a disabled endpoint wait with `next_at` at infinity.
create table svc.deliveries (
  account_id text collate "C" not null,
  mode svc.mode not null,
  event_id text collate "C" not null,
  endpoint_id text collate "C" not null,
  status svc.delivery_status not null,
  attempt_count integer not null default 0,
  -- Attempts among them that use up no retry of the endpoint.
  uncharged_count integer not null default 0
    constraint deliveries_uncharged_count_check check (uncharged_count between 0 and attempt_count),
  next_at timestamptz,
  lease_until timestamptz,
  -- Grows with every lease: a sender whose lease ran out can't overwrite the result of the next one.
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
-- The status is a column of it, so that a query for the few undelivered ones does not read the delivered ones.
create index deliveries_of_endpoint on svc.deliveries (account_id, mode, endpoint_id, status, event_id);

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
  -- Values are masked.
  request_headers jsonb not null default '{}',
  response_headers jsonb not null default '{}',
  response_excerpt bytea,
  error text,
  started_at timestamptz not null,
  next_at timestamptz,
  primary key (account_id, mode, event_id, endpoint_id, attempt)
) partition by range (event_id);

create table svc.delivery_attempts_default partition of svc.delivery_attempts default;

-- The hash of an endpoint's id assigns it to a shard. A process that takes over a shard takes a new epoch, as for a lane: a
-- write under an older epoch finds no row.
create table svc.delivery_shards (
  -- Name of the engine's service that works the shard.
  drain text collate "C" not null,
  shard integer not null check (shard >= 0),
  epoch bigint not null default 0,
  awake boolean not null default false,
  -- Last heartbeat of the process that works the shard.
  heartbeat_at timestamptz,
  primary key (drain, shard)
);

-- Sends a range of events to an endpoint again. `after_event_id` moves in the commit that queues the deliveries: a process
-- that continues from there skips no event and sends none twice.
create table svc.event_replays (
  account_id text collate "C" not null,
  mode svc.mode not null,
  id text collate "C" not null,
  endpoint_id text collate "C" not null,
  from_at timestamptz not null,
  to_at timestamptz not null,
  -- Null: all types.
  event_types svc.event_types,
  scope svc.event_replay_scope not null,
  status svc.event_replay_status not null,
  after_event_id text collate "C" not null,
  -- Number of events in the range; null until counted.
  total integer check (total >= 0),
  examined integer not null default 0 check (examined >= 0),
  queued integer not null default 0 check (queued between 0 and examined),
  -- Why it failed.
  reason text,
  created_at timestamptz not null,
  finished_at timestamptz,
  primary key (account_id, mode, id),
  check (
    (status = 'running') = (finished_at is null)
    and (status = 'failed') = (reason is not null)
    and from_at < to_at
  )
);

create unique index event_replays_running on svc.event_replays (account_id, mode, endpoint_id) where status = 'running';
create index event_replays_queue on svc.event_replays (created_at) where status = 'running';

insert into svc.partitioned_tables (table_name, id_prefix, months_kept) values
  ('events', 'evt', 13),
  ('deliveries', 'evt', 13),
  ('delivery_attempts', 'evt', 3);
