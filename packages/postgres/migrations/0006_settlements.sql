-- The way to the chain: what waits to be settled, the transactions that carry it, and the keys that sign them.

create domain svc.settlement_status as text check (
  value in ('queued', 'batched', 'mined', 'completed', 'failed', 'canceled')
);
create domain svc.relayer_status as text check (value in ('active', 'draining', 'retired'));
create domain svc.batch_status as text check (
  value in ('signed', 'broadcast', 'mined', 'finalized', 'replaced', 'dropped')
);

create sequence svc.settlement_number as bigint;

-- One settlement per payment, by key. A failed payment is followed by another payment, never by a second settlement.
create table svc.settlements (
  account_id text collate "C" not null,
  mode svc.mode not null,
  payment_id text collate "C" not null,
  -- Grows over all tenants; the order of the queue, and what clients see as `canisterTxId`.
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
create index settlements_of_batch on svc.settlements (batch_id) where status in ('batched', 'mined');

-- A lane: one key on one network, one writer. Who drains it takes a new epoch; a write under an older one finds no row.
create table svc.relayers (
  network text collate "C" not null,
  address text collate "C" not null,
  mode svc.mode not null,
  epoch bigint not null default 0 check (epoch >= 0),
  next_nonce bigint not null check (next_nonce >= 0),
  awake boolean not null default false,
  status svc.relayer_status not null,
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
  -- Of the transaction that was mined, or of the latest that was sent.
  transaction_id text collate "C" not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  foreign key (network, relayer) references svc.relayers
);

-- A nonce carries one living batch; it is free again only when the batch certainly never left, or was given up.
create unique index batches_nonce on svc.batches (network, relayer, nonce) where status not in ('replaced', 'dropped');
create index batches_unfinished on svc.batches (network, relayer, nonce) where status in ('signed', 'broadcast', 'mined');

-- Every transaction ever signed for a batch, stored before it is sent. A higher fee adds a row and keeps the batch:
-- any of them may be the one that is mined.
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

insert into svc.history (table_name, id_prefix, months_kept) values ('settlements', 'pay', 13);
