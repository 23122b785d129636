-- Money that an authorization brought to the processor without being settled, because somebody else submitted it.

-- `settle`: complete its payment. `return`: send all of it back to the payer. `hold`: wait until the merchant of an up-to
-- intent decides.
create domain svc.stranded_action as text check (value in ('settle', 'return', 'hold'));
-- `mined`: its transaction is in a block and had no effect. `blocked`: the processor refuses it for good; a person must act.
create domain svc.stranded_status as text check (value in ('queued', 'batched', 'mined', 'done', 'blocked'));

-- One row per authorization, proven by finalized logs and kept for ever.
create table svc.stranded_transfers (
  account_id text collate "C" not null,
  mode svc.mode not null,
  claim_key svc.digest not null,
  -- The order of the queue.
  number bigint not null generated always as identity,
  intent_id text collate "C" not null,
  -- Null while an up-to authorization has no payment.
  payment_id text collate "C",
  network text collate "C" not null,
  action svc.stranded_action not null,
  status svc.stranded_status not null,
  reason text,
  -- The log of the token's transfer from the payer to the processor.
  stranded_transaction_id text collate "C" not null,
  stranded_log_index integer not null check (stranded_log_index >= 0),
  -- The lane and the batch that settle or return it.
  relayer text collate "C",
  batch_id text collate "C",
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, mode, claim_key),
  check (
    (action = 'hold' or payment_id is not null)
    and (status not in ('batched', 'mined', 'done') or (relayer is not null and batch_id is not null))
  )
);

create index stranded_transfers_queue on svc.stranded_transfers (network, number)
  where status = 'queued' and action <> 'hold';
create index stranded_transfers_open on svc.stranded_transfers (network, number) where status <> 'done';
create unique index stranded_transfers_of_payment on svc.stranded_transfers (account_id, mode, payment_id)
  where payment_id is not null;
create index stranded_transfers_of_batch on svc.stranded_transfers (batch_id) where batch_id is not null;
