-- Merchant accounts with their modes, API keys, tokens and payouts, and the operators of this installation.

create domain svc.account_status as text check (value in ('active', 'closed'));
create domain svc.key_kind as text check (value in ('publishable', 'secret'));
create domain svc.payout_status as text check (value in ('pending', 'active', 'disabled'));

create table svc.operators (
  id text collate "C" primary key,
  name text not null,
  email text not null unique,
  created_at timestamptz not null,
  disabled_at timestamptz
);

create table svc.accounts (
  id text collate "C" primary key,
  name text not null,
  status svc.account_status not null,
  api_version text not null,
  created_at timestamptz not null
);

create table svc.account_modes (
  account_id text collate "C" not null references svc.accounts,
  mode svc.mode not null,
  upto_default_timeout_seconds integer not null default 86400,
  upto_max_timeout_seconds integer not null default 604800 check (upto_max_timeout_seconds <= 604800),
  -- Offer ReceiveWithAuthorization with a nonce that commits to the terms.
  bound_terms boolean not null default false,
  -- Null: the default of the installation.
  rate_limit_per_second integer check (rate_limit_per_second > 0),
  minimum_usd_micros bigint check (minimum_usd_micros >= 0),
  primary key (account_id, mode),
  check (upto_default_timeout_seconds between 1 and upto_max_timeout_seconds)
);

create table svc.api_keys (
  account_id text collate "C" not null,
  mode svc.mode not null,
  id text collate "C" not null,
  kind svc.key_kind not null,
  -- HMAC of the key under the server's pepper: requests find the key by it, and the key itself is not stored.
  lookup svc.digest not null unique,
  -- A publishable key is public and stored as plain text. A secret key is stored only as ciphertext, to sign webhooks.
  publishable_text text,
  ciphertext bytea,
  -- The last characters, so that a person can tell keys apart.
  hint text not null,
  -- Webhooks of this account and mode are signed with this key.
  signing boolean not null default false,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  primary key (account_id, mode, id),
  foreign key (account_id, mode) references svc.account_modes,
  check (
    (kind = 'secret' and ciphertext is not null and publishable_text is null)
    or (kind = 'publishable' and ciphertext is null and publishable_text is not null)
  ),
  check (not signing or (kind = 'secret' and revoked_at is null))
);

create unique index api_keys_one_signing on svc.api_keys (account_id, mode) where signing;

create table svc.account_tokens (
  account_id text collate "C" not null,
  mode svc.mode not null,
  shortcode text collate "C" not null,
  enabled_at timestamptz not null,
  primary key (account_id, mode, shortcode),
  foreign key (account_id, mode) references svc.account_modes
);

-- Payout terms that are registered on chain. The terms of an id never change; new terms get a new id.
create table svc.payouts (
  account_id text collate "C" not null,
  mode svc.mode not null,
  network text collate "C" not null,
  payout_id bigint not null check (payout_id >= 0),
  processor text collate "C" not null,
  merchant text collate "C" not null,
  fee_bps integer not null check (fee_bps between 0 and 1000),
  splits jsonb not null default '[]' check (jsonb_typeof(splits) = 'array' and jsonb_array_length(splits) <= 8),
  status svc.payout_status not null,
  transaction_id text collate "C",
  created_at timestamptz not null,
  primary key (account_id, mode, network, processor, payout_id),
  foreign key (account_id, mode) references svc.account_modes,
  unique (network, processor, payout_id)
);
