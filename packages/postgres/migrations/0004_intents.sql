-- Intents, what they accept, and the two tables that make a payment happen once in the whole world.
-- No foreign keys from here on: a busy account's row would be locked by every payment, and partitions come and go.

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

create table svc.intents (
  account_id text collate "C" not null,
  mode svc.mode not null,
  id text collate "C" not null,
  intent_code svc.intent_code not null,
  status svc.intent_status not null,
  x402_upto boolean not null,
  -- The token that is asked for; without one, that of the first acceptance, replaced by the one that is paid.
  amount svc.positive_amount not null,
  ledger_id text collate "C" not null,
  network text collate "C" not null,
  token_shortcode text collate "C" not null,
  amount_usd_atto svc.usd_atto,
  description text,
  resource text,
  mime_type text,
  expected_sender text collate "C",
  payer_public_key text collate "C",
  -- The client's own, kept as it was written; the service's keys stand apart and win on output.
  metadata svc.metadata not null default '{}',
  service_metadata jsonb not null default '{}',
  -- The latest payment. Another may take its place only once it has failed, was canceled or is mismatched.
  payment_id text collate "C",
  expires_at timestamptz,
  -- Events emitted so far: receivers sort by it.
  event_sequence integer not null default 0,
  -- Grows with every change: who writes names the version it read.
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, mode, id),
  check (status <> 'completed' or payment_id is not null)
) partition by range (id);

create table svc.intents_default partition of svc.intents default;

-- Expiry is found by index, and only where it still matters.
create index intents_expiring on svc.intents (expires_at) where status = 'requires_payment';

-- Codes and claims outlive tenants and months: unique over everything, for ever, and found by their key alone.
create table svc.intent_codes (
  intent_code svc.intent_code primary key,
  account_id text collate "C" not null,
  mode svc.mode not null,
  intent_id text collate "C" not null
) partition by hash (intent_code);

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

-- One way to pay an intent, at the rate it was offered.
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
  -- The JSON exactly as it was answered.
  body svc.json_object not null,
  primary key (account_id, mode, intent_id, position),
  check (asset <> pay_to)
) partition by range (intent_id);

create table svc.acceptances_default partition of svc.acceptances default;

-- What a payer signed: verified, claimed, and watched until no chain can execute it any more.
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
  -- What was signed: the price, or the cap of an up-to intent.
  cap svc.positive_amount not null,
  -- Unix seconds, as signed.
  valid_after bigint not null,
  valid_before bigint not null,
  nonce bytea not null,
  signature bytea not null,
  -- Set when it can't move money any more: used, canceled, or a finalized block is past `valid_before`.
  closed_at timestamptz,
  created_at timestamptz not null,
  primary key (account_id, mode, intent_id, claim_key)
) partition by range (intent_id);

create table svc.authorizations_default partition of svc.authorizations default;

create index authorizations_watched on svc.authorizations (network, valid_before) where closed_at is null;

-- Authorizations that were refused, for the merchant to read. They change no intent.
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

insert into svc.history (table_name, id_prefix, months_kept) values
  ('intents', 'pi', 120),
  ('acceptances', 'pi', 13),
  ('authorizations', 'pi', 13),
  ('attempts', 'att', 3);

-- Wakes whoever waits for an intent. Every notifying commit queues behind a server-wide lock until it is on disk, so
-- the one change that each payment commits alone, to `processing`, stays silent: its waiters poll, or are the writer.
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
