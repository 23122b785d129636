-- Transfers of token ledgers on the Internet Computer. A transfer names its intent by its memo, and nobody submits it to us: each
-- ledger is read block by block.

-- How far a token ledger is read.
create table svc.icrc_cursors (
  network text collate "C" not null,
  -- Canister id.
  ledger text collate "C" not null,
  -- Every block before this one is read.
  next_index bigint not null check (next_index >= 0),
  -- Hash of the last block that is read, which the next one names. Null: there is none.
  last_hash svc.digest,
  -- When the last reading began that reached the end of the ledger. Null: none did. Intents do not expire before.
  read_at timestamptz,
  -- Since when the ledger's blocks do not continue what was read. Null: they do.
  stopped_at timestamptz,
  primary key (network, ledger)
);

-- Blocks that pay an intent by their memo, to an account of a payout, from when they are read until they are applied. What they
-- proved is in `svc.log_proofs`.
create table svc.icrc_transfers (
  network text collate "C" not null,
  ledger text collate "C" not null,
  block_index bigint not null check (block_index >= 0),
  -- Accounts in the textual form of ICRC-1.
  from_account text collate "C" not null,
  to_account text collate "C" not null,
  amount svc.positive_amount not null,
  intent_code svc.intent_code not null,
  block_time timestamptz not null,
  found_at timestamptz not null,
  -- Failed tries to apply it, and when it is tried next.
  tries integer not null default 0,
  next_try_at timestamptz not null,
  primary key (network, ledger, block_index)
);
create index icrc_transfers_due on svc.icrc_transfers (network, next_try_at);
create index icrc_transfers_of_code on svc.icrc_transfers (intent_code);

-- A transfer has one recipient: no fee and no split is taken from it, and nothing stands between payer and merchant. Rows from
-- before can't be paid.
alter table svc.payouts add constraint payouts_icrc_check check (
  network not like 'icp:%' or kind = 'processor' and processor = merchant and fee_bps = 0 and splits = '[]'
) not valid;

-- Like a payout on Solana it is in no registry on its chain.
drop trigger payouts_direct_status on svc.payouts;
create trigger payouts_direct_status before update of status on svc.payouts
  for each row when (old.kind = 'direct' or old.network not like 'eip155:%') execute function svc.refuse_direct_status();

drop trigger payouts_processor_status on svc.payouts;
create trigger payouts_processor_status before update of status on svc.payouts
  for each row when (old.kind = 'processor' and old.network like 'eip155:%') execute function svc.refuse_admin_status();

-- The API offers a token whose ledger is read.
grant select on svc.icrc_cursors to svc_api;
grant select, insert, update (next_index, last_hash, read_at, stopped_at) on svc.icrc_cursors to svc_settlement;
grant select, insert, delete, update (tries, next_try_at) on svc.icrc_transfers to svc_settlement;
