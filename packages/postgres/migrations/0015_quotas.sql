-- Quotas of requests, which all API processes share. A process leases chunks of them in the background. What a crash of the
-- database loses here is at most a second of counting, so the API does not wait for the disk when it writes these tables.

-- A bucket that is not full. `full_at` is the time at which it is full again if nobody takes from it, in milliseconds since
-- 1970: that is its whole state. The other columns are the last ask and its answer.
create table svc.quota_buckets (
  -- `<scope>/<class>/<owner>`
  name text collate "C" primary key,
  full_at double precision not null,
  granted double precision not null,
  size double precision not null check (size > 0),
  window_ms double precision not null check (window_ms > 0),
  charge double precision not null,
  wanted double precision not null,
  asked_at double precision not null
) with (fillfactor = 50);

-- API processes. One that was not heard of for some seconds is not alive.
create table svc.quota_processes (
  id text collate "C" primary key,
  seen_at double precision not null
) with (fillfactor = 50);

-- Event streams that a process has open, by address, key and account.
create table svc.quota_streams (
  name text collate "C" not null,
  process text collate "C" not null,
  open integer not null check (open > 0),
  primary key (name, process)
) with (fillfactor = 50);

create index quota_streams_of_process on svc.quota_streams (process);

grant select, insert, update, delete on svc.quota_buckets, svc.quota_processes, svc.quota_streams to svc_api;

-- Whether the authorization is the cap of an up-to intent. Caps that a chain may still execute are counted by payer and by
-- account when another one is confirmed.
alter table svc.authorizations add column upto boolean not null default false;
update svc.authorizations signed set upto = true
from svc.intents intent
where signed.closed_at is null and intent.x402_upto
  and intent.account_id = signed.account_id and intent.mode = signed.mode and intent.id = signed.intent_id;
create index authorizations_open_caps on svc.authorizations (network, payer) where upto and closed_at is null;
create index authorizations_open_caps_of_account on svc.authorizations (account_id, mode) where upto and closed_at is null;

-- What a payer has pending in a token is summed when another payment of the payer is claimed.
create index payments_pending on svc.payments (network, payer, asset, amount) where status = 'pending';
