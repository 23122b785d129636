-- Transactions that wallets were shown and may sign. Nothing can come of one before the relayer has signed it too, so there
-- may be many of an intent: a reload, another wallet. What is signed at last is held against what stands here.
create table svc.prepared_transfers (
  account_id text collate "C" not null,
  mode svc.mode not null,
  intent_id text collate "C" not null,
  payer text collate "C" not null,
  blockhash text collate "C" not null,
  -- The acceptance that it pays.
  position integer not null check (position >= 0),
  network text collate "C" not null,
  relayer text collate "C" not null,
  -- What it was prepared with, as `svc.authorizations.transfer` takes it over.
  transfer jsonb not null,
  message_hash svc.digest not null,
  wire bytea not null check (octet_length(wire) <= 1232),
  created_at timestamptz not null,
  -- Prepared again while the blockhash is the same, it is the same.
  primary key (account_id, mode, intent_id, payer, blockhash, position)
);

create index prepared_transfers_age on svc.prepared_transfers (created_at);

grant select, insert on svc.prepared_transfers to svc_api;
-- What is old can't be signed any more.
grant select, delete on svc.prepared_transfers to svc_settlement;

-- The API names the relayer that is to pay.
grant select (network, address, mode, status, condition, duty) on svc.relayers to svc_api;
