-- Payment intents, what they accept, what payers signed, and the two tables that make intent codes and authorizations
-- unique over all accounts.
-- From here on tables have no foreign keys to accounts or to partitioned tables: every payment would lock the row of its
-- account, and partitions are dropped.

create domain svc.intent_status as text check (
  value in ('requires_payment', 'processing', 'completed', 'failed', 'canceled', 'mismatched')
);
create domain svc.metadata as svc.json_object check (octet_length(value) <= 16384);
create domain svc.scheme as text check (value in ('exact', 'upto'));
create domain svc.authorization_kind as text check (
  value in (
    'transfer_with_authorization', 'receive_with_authorization', 'permit', 'solana_message', 'solana_transaction'
  )
);
-- Blocks, counting the transaction's own, before a payment is called completed.
create domain svc.confirmations as integer check (value between 1 and 10000);

create table svc.intents (
  account_id text collate "C" not null,
  mode svc.mode not null,
  id text collate "C" not null,
  intent_code svc.intent_code not null,
  status svc.intent_status not null,
  x402_upto boolean not null,
  -- Amount and token that the merchant asked for. Without a token: those of the first acceptance, replaced by the one that
  -- is paid.
  amount svc.positive_amount not null,
  ledger_id text collate "C" not null,
  network text collate "C" not null,
  token_shortcode text collate "C" not null,
  amount_usd_atto svc.usd_atto,
  -- Of the acceptance that is paid.
  confirmations svc.confirmations not null default 1,
  description text,
  resource text,
  mime_type text,
  expected_sender text collate "C",
  payer_public_key text collate "C",
  -- The client's metadata as it was sent. The service's own keys are in `service_metadata` and win on output.
  metadata svc.metadata not null default '{}',
  service_metadata jsonb not null default '{}',
  -- The latest payment. Another one may replace it only after it failed, was canceled or is mismatched.
  payment_id text collate "C",
  expires_at timestamptz,
  -- Number of events so far; receivers sort events by it.
  event_sequence integer not null default 0,
  -- Grows with every change. A writer names the version that it read.
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, mode, id),
  check (status <> 'completed' or payment_id is not null)
) partition by range (id);

create table svc.intents_default partition of svc.intents default;

-- Intents that can still expire.
create index intents_expiring on svc.intents (expires_at) where status = 'requires_payment';
-- The internal listener settles an up-to intent by its id alone. Exact intents are not in this index and do not pay for it.
create index intents_upto on svc.intents (id) where x402_upto;

-- Intent codes and claims are unique over all accounts and months, are kept for ever, and are found by their key alone.
create table svc.intent_codes (
  intent_code svc.intent_code primary key,
  account_id text collate "C" not null,
  mode svc.mode not null,
  intent_id text collate "C" not null
) partition by hash (intent_code);

-- One row per authorization that was accepted: an authorization pays one intent.
create table svc.claims (
  -- Digest of network, asset, payer and authorization nonce.
  claim_key svc.digest primary key,
  account_id text collate "C" not null,
  mode svc.mode not null,
  intent_id text collate "C" not null,
  network text collate "C" not null,
  asset text collate "C" not null,
  payer text collate "C" not null,
  nonce bytea not null,
  payment_id text collate "C",
  created_at timestamptz not null
) partition by hash (claim_key);

do $$
begin
  for remainder in 0 .. 15 loop
    execute format(
      'create table svc.intent_codes_%s partition of svc.intent_codes for values with (modulus 16, remainder %s)',
      remainder, remainder
    );
    execute format(
      'create table svc.claims_%s partition of svc.claims for values with (modulus 16, remainder %s)',
      remainder, remainder
    );
  end loop;
end
$$;

-- One way to pay an intent, at the rate at which it was offered.
create table svc.acceptances (
  account_id text collate "C" not null,
  mode svc.mode not null,
  intent_id text collate "C" not null,
  position smallint not null,
  scheme svc.scheme not null,
  network text collate "C" not null,
  token_shortcode text collate "C" not null,
  asset text collate "C" not null,
  pay_to text collate "C" not null,
  amount svc.positive_amount not null,
  payout_id bigint,
  max_timeout_seconds integer not null,
  usd_per_token_atto svc.usd_atto,
  rate_source text,
  rate_observed_at timestamptz,
  confirmations svc.confirmations not null default 1,
  -- The minimum at the time of the offer: a minimum that is raised later does not apply. Null: none.
  minimum_usd_micros bigint,
  -- The acceptance can't be paid from this time on. Null: the price is fixed and does not end.
  price_ends_at timestamptz,
  -- The JSON exactly as it was answered.
  body svc.json_object not null,
  primary key (account_id, mode, intent_id, position),
  check (asset <> pay_to)
) partition by range (intent_id);

create table svc.acceptances_default partition of svc.acceptances default;

-- What a payer signed, verified and claimed. It is watched until no chain can execute it any more.
create table svc.authorizations (
  account_id text collate "C" not null,
  mode svc.mode not null,
  intent_id text collate "C" not null,
  claim_key svc.digest not null,
  kind svc.authorization_kind not null,
  network text collate "C" not null,
  asset text collate "C" not null,
  payer text collate "C" not null,
  recipient text collate "C" not null,
  -- The signed amount: the price, or the cap of an up-to intent.
  cap svc.positive_amount not null,
  -- Unix seconds, as signed.
  valid_after bigint not null,
  valid_before bigint not null,
  -- `solana_transaction`: digest of the transaction's message. `solana_message`: the nonce inside the signed text.
  nonce bytea not null,
  -- `solana_transaction`: the whole transaction as the payer signed it. Otherwise the payer's signature.
  signature bytea not null,
  -- A contract answered for the signature, not a key. Such a payment is sent alone in a transaction.
  by_contract boolean not null default false,
  -- The terms of a Solana transfer. A `solana_transaction` has `relayer`, `feeRecipient`, `tokenProgram`, `decimals`,
  -- `blockhash`, `lastValidBlockHeight` and `slot`; a `solana_message` also names the program that checks the text.
  transfer jsonb,
  -- When it became unable to move money: it was used or canceled, or a finalized block is past `valid_before`.
  closed_at timestamptz,
  created_at timestamptz not null,
  primary key (account_id, mode, intent_id, claim_key),
  constraint authorizations_transfer_check
    check ((kind in ('solana_transaction', 'solana_message')) = (transfer is not null))
) partition by range (intent_id);

create table svc.authorizations_default partition of svc.authorizations default;

create index authorizations_watched on svc.authorizations (network, valid_before) where closed_at is null;

-- Solana transactions and texts that were given to wallets to sign. Nothing can happen with one before the relayer has
-- signed too, so an intent may have many: after a reload, or for another wallet. A signed one is compared with its row here.
create table svc.prepared_transfers (
  account_id text collate "C" not null,
  mode svc.mode not null,
  intent_id text collate "C" not null,
  payer text collate "C" not null,
  blockhash text collate "C" not null,
  -- Position of the acceptance that it pays.
  position integer not null check (position >= 0),
  network text collate "C" not null,
  relayer text collate "C" not null,
  -- Copied to `svc.authorizations.transfer`.
  transfer jsonb not null,
  message_hash svc.digest not null,
  wire bytea not null check (octet_length(wire) <= 1232),
  created_at timestamptz not null,
  -- Preparing again while the blockhash is the same gives the same row.
  primary key (account_id, mode, intent_id, payer, blockhash, position)
);

create index prepared_transfers_age on svc.prepared_transfers (created_at);

comment on column svc.prepared_transfers.blockhash is 'Of a transaction; of a text its nonce in hex.';
comment on column svc.prepared_transfers.wire is 'The transaction without signatures, or the text.';

-- Authorizations that were refused, for the merchant to read. They do not change the intent.
create table svc.attempts (
  account_id text collate "C" not null,
  mode svc.mode not null,
  id text collate "C" not null,
  intent_id text collate "C" not null,
  code text not null,
  detail text,
  payer text collate "C",
  created_at timestamptz not null,
  primary key (account_id, mode, id)
) partition by range (id);

create table svc.attempts_default partition of svc.attempts default;

create index attempts_of_intent on svc.attempts (account_id, mode, intent_id, id);

insert into svc.partitioned_tables (table_name, id_prefix, months_kept) values
  ('intents', 'pi', 120),
  ('acceptances', 'pi', 13),
  ('authorizations', 'pi', 13),
  ('attempts', 'att', 3);

-- Notifies processes that wait for an intent. A commit that notifies holds a server-wide lock until it is on disk, so the
-- change to `processing`, which every payment commits alone, does not notify: its waiters poll, or made the change.
create function svc.notify_intent() returns trigger
language plpgsql as $$
begin
  perform pg_notify('svc_intent', new.id);
  return null;
end
$$;

create trigger intents_notify after update on svc.intents
  for each row when (old.status is distinct from new.status and new.status <> 'processing')
  execute function svc.notify_intent();
