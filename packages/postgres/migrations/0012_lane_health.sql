-- Lanes that never stick: what a payment that was refused waits for, what stops a lane, and which networks are offered.

-- Queued, and left alone until then: no transaction could carry it, and nobody behind it is to wait.
alter table svc.settlements add column retry_at timestamptz;
-- A batch with it reverted as a whole: the next one is at most this large.
alter table svc.settlements add column batch_limit integer check (batch_limit > 0);

-- `low`: its coins pay for few more transactions. `empty`: for none. `not_allowed`: the processor does not know it.
create domain svc.relayer_condition as text check (value in ('fine', 'low', 'empty', 'not_allowed'));
alter table svc.relayers add column condition svc.relayer_condition not null default 'fine';
-- In the chain's own coin.
alter table svc.relayers add column balance svc.amount;
alter table svc.relayers add column checked_at timestamptz;
-- Of some token it has moved nearly all that the processor lets it move within the hour.
alter table svc.relayers add column capped boolean not null default false;
-- The chain and the database disagree about its nonces.
alter table svc.relayers add column obstacle text check (obstacle in ('nonce_behind', 'nonce_gap'));
alter table svc.relayers add column obstacle_since timestamptz;

-- Whether new acceptances may promise settlement there. No row: nobody has looked yet, and the configuration decides.
create table svc.network_health (
  network text collate "C" primary key,
  offered boolean not null,
  -- Why not.
  reason text,
  since timestamptz not null,
  checked_at timestamptz not null,
  check (offered = (reason is null))
);

grant select, insert, update on svc.network_health to svc_settlement;
grant select on svc.network_health to svc_api;
