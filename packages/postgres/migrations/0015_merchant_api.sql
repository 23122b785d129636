-- What merchants do about their deliveries by themselves: endpoints, the event log, sending again.

alter table svc.endpoints
  -- Sealed to the master key's public half, so whoever writes them can't read them; the names are for showing.
  add column header_names text[] not null default '{}' check (cardinality(header_names) <= 20),
  -- Signs beside the current one until it expires.
  add column previous_secret_ciphertext bytea,
  add column previous_secret_expires_at timestamptz,
  -- When its owner was last warned that it is about to be switched off.
  add column warned_at timestamptz,
  add constraint endpoints_previous_secret
    check ((previous_secret_ciphertext is null) = (previous_secret_expires_at is null));

create index endpoints_failing on svc.endpoints (failing_since) where status = 'enabled' and failing_since is not null;

-- One index for each way to ask for events; newest first is by id. By intent there is one already.
create index events_of_type on svc.events (account_id, mode, type, id);
create index events_of_payment on svc.events (account_id, mode, payment_id, id) where payment_id is not null;

-- With the status in it, so that the few undelivered among many delivered are read alone.
drop index svc.deliveries_of_endpoint;
create index deliveries_of_endpoint on svc.deliveries (account_id, mode, endpoint_id, status, event_id);

create domain svc.delivery_recovery_status as text check (value in ('running', 'done', 'failed'));
create domain svc.delivery_recovery_reach as text check (value in ('failed', 'all'));

-- A range of events that goes to an endpoint again. `after_event_id` moves in the commit that queues: whoever goes on from
-- there, after whatever happened, neither leaves one out nor sends one twice.
create table svc.delivery_recoveries (
  account_id text collate "C" not null,
  mode svc.mode not null,
  id text collate "C" not null,
  endpoint_id text collate "C" not null,
  from_at timestamptz not null,
  to_at timestamptz not null,
  -- Null: all types.
  event_types svc.event_types,
  reach svc.delivery_recovery_reach not null,
  status svc.delivery_recovery_status not null,
  after_event_id text collate "C" not null,
  -- Events of the range; null until counted.
  total integer check (total >= 0),
  examined integer not null default 0 check (examined >= 0),
  queued integer not null default 0 check (queued between 0 and examined),
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

create unique index delivery_recoveries_running on svc.delivery_recoveries (account_id, mode, endpoint_id)
  where status = 'running';
create index delivery_recoveries_queue on svc.delivery_recoveries (created_at) where status = 'running';

grant select, insert on svc.delivery_recoveries to svc_api;
grant select, update on svc.delivery_recoveries to svc_webhooks;
grant update (warned_at) on svc.endpoints to svc_webhooks;
