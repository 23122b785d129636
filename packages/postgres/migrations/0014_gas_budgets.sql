-- Gas budgets: what relayers may lose, over an hour and over a day, by network, account, code of a contract wallet and payer.

alter table svc.authorizations
  -- Hash of the code that answered for the signature. Null for a signature by key.
  add column code_hash svc.digest;

alter table svc.gas_losses
  -- Of the contract wallet whose payment lost the gas.
  add column code_hash svc.digest;

alter table svc.batches
  -- The most that the transaction may cost, if it carries a payment that the budgets bind: of a contract wallet that is not
  -- proven. It counts as lost until the batch is recorded.
  add column at_risk svc.amount;

create index batches_at_risk on svc.batches (network) where at_risk is not null and status in ('signed', 'broadcast');

-- Contract wallets with a completed payment. A spent budget of others does not close the service to them.
create table svc.proven_wallets (
  network text collate "C" not null,
  payer text collate "C" not null,
  -- When a payment was completed, to the day.
  paid_at timestamptz not null,
  primary key (network, payer)
);

create index proven_wallets_paid on svc.proven_wallets (paid_at);

insert into svc.proven_wallets (network, payer, paid_at)
select network, solo_payer, max(updated_at) from svc.settlements
where status = 'completed' and solo_payer is not null
group by network, solo_payer;

-- Losses by what they count against, in slots of five minutes, in the chain's own coin. Rows older than a day are deleted.
create table svc.gas_budget_uses (
  network text collate "C" not null,
  scope text collate "C" not null check (scope in ('network', 'account', 'code', 'payer')),
  -- Account id, code hash or payer; empty for the network itself.
  key text collate "C" not null,
  slot timestamptz not null,
  lost svc.amount not null,
  -- Losses that a reorg reversed.
  reversed svc.amount not null,
  primary key (network, scope, key, slot)
);

create index gas_budget_uses_of_slot on svc.gas_budget_uses (slot);

-- What the recorded transactions of a relayer cost, in the same slots. Budgets grow with it.
create table svc.gas_paid (
  network text collate "C" not null,
  relayer text collate "C" not null,
  slot timestamptz not null,
  amount svc.amount not null,
  primary key (network, slot, relayer)
);

-- The limits of a network, as settlement last computed them. No row: nothing is refused.
create table svc.gas_budgets (
  network text collate "C" primary key,
  network_hour svc.amount not null,
  network_day svc.amount not null,
  account_hour svc.amount not null,
  account_day svc.amount not null,
  code_hour svc.amount not null,
  code_day svc.amount not null,
  payer_hour svc.amount not null,
  payer_day svc.amount not null,
  -- Transactions that carried a payment that the budgets bind. A lane sends the next one only if no other lane has sent
  -- one since it read the budgets.
  bound_sends bigint not null default 0,
  updated_at timestamptz not null
);

grant select on svc.proven_wallets, svc.gas_budget_uses, svc.gas_budgets to svc_api;
grant select, insert, update, delete on svc.proven_wallets, svc.gas_budget_uses, svc.gas_paid to svc_settlement;
grant select, insert, update on svc.gas_budgets to svc_settlement;
