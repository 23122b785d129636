-- Keys by which Solana transactions are found that payers send by themselves. Nobody submits such a transaction to us, and
-- Solana has no logs that name an intent.

create table svc.payment_references (
  network text collate "C" not null,
  -- Base58 of 32 bytes, derived from the installation and the intent.
  reference text collate "C" not null,
  account_id text collate "C" not null,
  mode svc.mode not null,
  intent_id text collate "C" not null,
  intent_code svc.intent_code not null,
  -- Recipient of the platform's fee in the transactions that were handed out.
  fee_recipient text collate "C" not null,
  -- End of the intent. Some days later the row is deleted.
  expires_at timestamptz not null,
  -- When a wallet asked last.
  opened_at timestamptz not null,
  -- Every transaction up to this one is decided. Null: none is.
  cursor text collate "C",
  -- Since when a transaction can't be decided: nodes do not agree, or its rows are locked.
  waits_since timestamptz,
  next_read_at timestamptz not null,
  -- When the last reading began that decided all that was final. Null: none did. The intent does not expire before.
  read_at timestamptz,
  primary key (account_id, mode, intent_id, network),
  unique (network, reference)
);
create index payment_references_due on svc.payment_references (network, next_read_at);

-- The API opens a reference before it hands out a transaction with it. It neither moves a cursor nor gives a reference to
-- another intent. The fee recipient of the first opening stays: transactions with it may be on their way. A stolen login of the
-- API can open any key here: settlement derives the key again and deletes a row that has another.
create function svc.open_reference(
  owner text, owner_mode text, intent text, code bigint, on_network text, key text, fee_to text,
  at timestamptz
) returns text
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  insert into svc.payment_references as known
    (network, reference, account_id, mode, intent_id, intent_code, fee_recipient, expires_at, opened_at, next_read_at)
  select on_network, key, i.account_id, i.mode, i.id, i.intent_code, fee_to, i.expires_at, asked.at, asked.at
  from svc.intents i, lateral (select date_trunc('milliseconds', at) as at) asked
  where i.account_id = owner and i.mode = owner_mode and i.id = intent and i.intent_code = code
    -- Settlement reads these times, and finds the row again by them.
    and asked.at between now() - interval '1 year' and now() + interval '1 year'
    and exists (
      select from svc.payouts p
      where p.account_id = owner and p.mode = owner_mode and p.network = on_network and p.processor = fee_to
    )
  on conflict (account_id, mode, intent_id, network) do update
    set opened_at = excluded.opened_at, expires_at = excluded.expires_at,
      next_read_at = least(known.next_read_at, excluded.next_read_at)
    where known.reference = excluded.reference
  returning known.fee_recipient
$$;

grant execute on function svc.open_reference(text, text, text, bigint, text, text, text, timestamptz) to svc_api;
grant select, delete, update (cursor, waits_since, next_read_at, read_at) on svc.payment_references to svc_settlement;
