-- Settlements, the lanes that send them, and the transactions that carry them. A lane is one relayer key on one network.

-- `held`: the chain says that the authorization is used or the intent is settled, and it is not proven by whom. A held
-- settlement is neither sent again nor failed until it is.
create domain svc.settlement_status as text check (
  value in ('queued', 'held', 'batched', 'mined', 'completed', 'failed', 'canceled')
);
create domain svc.relayer_status as text check (value in ('active', 'draining', 'retired'));
-- `settle`: the key settles queued payments. `resolve_stranded`: it completes or returns stranded transfers.
create domain svc.relayer_duty as text check (value in ('settle', 'resolve_stranded'));
-- `low`: its coins pay for few more transactions. `empty`: for none. `not_allowed`: the processor does not know the key.
create domain svc.relayer_condition as text check (value in ('fine', 'low', 'empty', 'not_allowed'));
create domain svc.batch_status as text check (
  value in ('signed', 'broadcast', 'mined', 'finalized', 'replaced', 'dropped')
);

create sequence svc.settlement_number as bigint;

-- One settlement per payment, by key. After a failed payment there is another payment, never a second settlement.
create table svc.settlements (
  account_id text collate "C" not null,
  mode svc.mode not null,
  payment_id text collate "C" not null,
  -- Grows over all accounts: the order of the queue, and what clients see as `canisterTxId`.
  number bigint not null default nextval('svc.settlement_number'),
  intent_id text collate "C" not null,
  intent_code svc.intent_code not null,
  -- The signed authorization: `svc.authorizations`, by account, mode, intent and this key.
  claim_key svc.digest not null,
  network text collate "C" not null,
  asset text collate "C" not null,
  status svc.settlement_status not null,
  cap svc.positive_amount not null,
  settled_amount svc.positive_amount not null,
  payout_id bigint,
  -- The only lane that can send it: the payer signed a transaction that names this relayer. Null: every lane can.
  bound_relayer text collate "C",
  -- The payer, if the payment waits in the solo queue: its signature is a contract wallet's, or it is in `svc.solo_payers`.
  solo_payer text collate "C",
  -- Queued, but not sent before this time.
  retry_at timestamptz,
  -- Largest batch that may contain it, after a batch with it reverted as a whole.
  batch_limit integer check (batch_limit > 0),
  relayer text collate "C",
  batch_id text collate "C",
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, mode, payment_id),
  check (
    settled_amount <= cap
    and (status not in ('batched', 'mined', 'completed') or (relayer is not null and batch_id is not null))
  )
) partition by range (payment_id);

create table svc.settlements_default partition of svc.settlements default;

create index settlements_queue on svc.settlements (network, number) where status = 'queued';
create index settlements_held on svc.settlements (network, number) where status = 'held';
-- A reorg reverses a batch with all of its payments, completed ones too.
create index settlements_of_batch on svc.settlements (batch_id) where batch_id is not null;
-- Payments that go in a transaction of their own have a queue of their own, so that the gas and the time that a contract
-- wallet's code takes delay no payer who signs by key.
create index settlements_common_queue on svc.settlements (network, number)
  where status = 'queued' and solo_payer is null;
-- Accounts and payers take turns.
create index settlements_solo_queue on svc.settlements (network, account_id, solo_payer, number)
  where status = 'queued' and solo_payer is not null;

-- A lane has one writer. The process that takes it over takes a new epoch; a write under an older epoch finds no row.
create table svc.relayers (
  network text collate "C" not null,
  address text collate "C" not null,
  mode svc.mode not null,
  duty svc.relayer_duty not null default 'settle',
  status svc.relayer_status not null,
  epoch bigint not null default 0 check (epoch >= 0),
  next_nonce bigint not null check (next_nonce >= 0),
  awake boolean not null default false,
  -- Last heartbeat of the process that works the lane. A lane that is awake and has none was lost by the engine.
  heartbeat_at timestamptz,
  condition svc.relayer_condition not null default 'fine',
  -- In the chain's own coin.
  balance svc.amount,
  -- Of some token it has moved nearly as much as the processor's hourly cap allows.
  capped boolean not null default false,
  -- When `condition`, `balance` and `capped` were read.
  checked_at timestamptz,
  -- Why the lane has stopped: the chain and the database disagree about its nonces.
  obstacle text check (obstacle in ('nonce_behind', 'nonce_gap')),
  obstacle_since timestamptz,
  updated_at timestamptz not null,
  primary key (network, address)
);

create table svc.batches (
  id text collate "C" primary key,
  network text collate "C" not null,
  relayer text collate "C" not null,
  mode svc.mode not null,
  nonce bigint not null check (nonce >= 0),
  epoch bigint not null check (epoch >= 0),
  status svc.batch_status not null,
  item_count integer not null check (item_count > 0),
  -- Of the transaction that was mined, or of the one that was sent last.
  transaction_id text collate "C" not null,
  -- The block in which the transaction was seen.
  block_number bigint check (block_number >= 0),
  block_hash text collate "C",
  -- The whole gas cost of the transaction is booked: as network cost of the payments it settled, and as loss. False until
  -- the batch is recorded as mined.
  gas_booked boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  foreign key (network, relayer) references svc.relayers
);

-- A nonce belongs to one batch. It is free again when the batch was certainly never sent, or was given up.
create unique index batches_nonce on svc.batches (network, relayer, nonce) where status not in ('replaced', 'dropped');
create index batches_unfinished on svc.batches (network, relayer, nonce) where status in ('signed', 'broadcast', 'mined');

-- Every transaction that was signed for a batch, stored before it is sent. A fee bump adds a row to the same batch; any of
-- them may be mined.
create table svc.batch_transactions (
  network text collate "C" not null,
  transaction_id text collate "C" not null,
  batch_id text collate "C" not null references svc.batches,
  mode svc.mode not null,
  raw_transaction bytea not null,
  created_at timestamptz not null,
  primary key (network, transaction_id)
);

create index batch_transactions_of_batch on svc.batch_transactions (batch_id);

-- Batches that contained a payment and reverted as a whole, after which the payment was queued again. A reorg may bring
-- their transaction back, so proof of the payment is searched there too.
create table svc.reverted_batches (
  account_id text collate "C" not null,
  mode svc.mode not null,
  payment_id text collate "C" not null,
  batch_id text collate "C" not null references svc.batches,
  created_at timestamptz not null,
  primary key (account_id, mode, payment_id, batch_id)
);

-- Payers whose transfer used up its gas, or whose transaction reverted although its simulation passed. Until `until` their
-- payments are sent alone, the next one not before `next_at`, which moves further away with every strike.
create table svc.solo_payers (
  network text collate "C" not null,
  payer text collate "C" not null,
  strikes integer not null check (strikes > 0),
  next_at timestamptz not null,
  until timestamptz not null,
  primary key (network, payer)
);

-- Gas that settled nothing: whose payment it was spent for, and why. A line moves `amount` of the chain's own coin from the
-- relayer to the network. Lines never change; after a reorg a line with the opposite sign reverses it. Together with the
-- native entries of `svc.ledger_entries` the lines add up to the gas in the relayers' receipts.
create table svc.gas_losses (
  -- Created when the line is booked: `id >= svc.id_bound('lg', moment)` selects the losses since a moment.
  id text collate "C" not null,
  network text collate "C" not null,
  relayer text collate "C" not null,
  mode svc.mode not null,
  batch_id text collate "C" not null,
  transaction_id text collate "C" not null,
  -- Null if the payment is not known, as after a restore from the chain.
  account_id text collate "C",
  payment_id text collate "C",
  payer text collate "C",
  -- Why the payment was not settled: its outcome, or `reverted` when the whole transaction reverted.
  cause text collate "C" not null,
  amount svc.signed_amount not null,
  -- The line that this one reverses after a reorg.
  reverses text collate "C",
  created_at timestamptz not null,
  primary key (id),
  check ((account_id is null) = (payment_id is null))
) partition by range (id);

create table svc.gas_losses_default partition of svc.gas_losses default;

create index gas_losses_of_batch on svc.gas_losses (batch_id);
create index gas_losses_of_network on svc.gas_losses (network, id);
create index gas_losses_of_account on svc.gas_losses (account_id, mode, id);
create index gas_losses_of_payer on svc.gas_losses (network, payer, id);

-- Whether new acceptances may offer the network. No row: the network was not checked yet, and the configuration decides.
create table svc.network_health (
  network text collate "C" primary key,
  offered boolean not null,
  -- Why it is not offered.
  reason text,
  since timestamptz not null,
  checked_at timestamptz not null,
  check (offered = (reason is null))
);

-- The most of a token that the processor lets one relayer move within an hour, as settlement last read it from the chain. A
-- payment above it can't be settled, so the API neither offers nor takes it. No row, or null: the cap is not known, and
-- nothing is refused.
create table svc.hourly_caps (
  network text collate "C" not null,
  asset text collate "C" not null,
  cap svc.amount,
  changed_at timestamptz not null,
  primary key (network, asset)
);

insert into svc.partitioned_tables (table_name, id_prefix, months_kept) values
  ('settlements', 'pay', 13),
  ('gas_losses', 'lg', 120);
