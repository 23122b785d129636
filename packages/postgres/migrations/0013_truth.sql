-- The truth after the fact: how deep a payment's block must lie, what a reorganisation takes back, and money that reached
-- a processor without us.

-- Blocks, counting the transaction's own, before a payment is called completed. Offered per acceptance; the intent shows
-- that of the one that is paid.
create domain svc.confirmations as integer check (value between 1 and 10000);
alter table svc.acceptances add column confirmations svc.confirmations not null default 1;
alter table svc.intents add column confirmations svc.confirmations not null default 1;

-- What a key does: it settles what waits, or it recovers what a stranger's submission stranded.
create domain svc.relayer_duty as text check (value in ('settle', 'recover'));
alter table svc.relayers add column duty svc.relayer_duty not null default 'settle';
grant select (duty) on svc.relayers to svc_api;

-- A batch that a reorganisation takes back is found with all of its payments, the completed ones too.
drop index svc.settlements_of_batch;
create index settlements_of_batch on svc.settlements (batch_id) where batch_id is not null;

-- `settle`: it completes its payment. `return`: it goes back whole. `hold`: the merchant of an up-to intent decides yet.
create domain svc.recovery_deed as text check (value in ('settle', 'return', 'hold'));
-- `mined`: its transaction is in a block and did nothing. `blocked`: the processor refuses it for good; a person must look.
create domain svc.recovery_status as text check (value in ('queued', 'batched', 'mined', 'done', 'blocked'));

-- Money that one authorization brought to the processor without being settled, as finalized logs prove. Once per
-- authorization, for ever.
create table svc.recoveries (
  account_id text collate "C" not null,
  mode svc.mode not null,
  claim_key svc.digest not null,
  number bigint not null generated always as identity,
  intent_id text collate "C" not null,
  -- Null while an up-to authorization has no payment.
  payment_id text collate "C",
  network text collate "C" not null,
  deed svc.recovery_deed not null,
  status svc.recovery_status not null,
  reason text,
  -- The token's transfer from the payer to the processor.
  stranded_transaction_id text collate "C" not null,
  stranded_log_index integer not null check (stranded_log_index >= 0),
  relayer text collate "C",
  batch_id text collate "C",
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, mode, claim_key),
  check (
    (deed = 'hold' or payment_id is not null)
    and (status not in ('batched', 'mined', 'done') or (relayer is not null and batch_id is not null))
  )
);

create index recoveries_queue on svc.recoveries (network, number) where status = 'queued' and deed <> 'hold';
create index recoveries_open on svc.recoveries (network, number) where status <> 'done';
create unique index recoveries_of_payment on svc.recoveries (account_id, mode, payment_id) where payment_id is not null;
create index recoveries_of_batch on svc.recoveries (batch_id) where batch_id is not null;

grant select, insert, update on svc.recoveries to svc_settlement;
grant select on svc.recoveries to svc_api;
