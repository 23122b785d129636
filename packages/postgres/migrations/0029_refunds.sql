-- Refunds: a wallet of the merchant gives money of a payment back.

create domain svc.refund_status as text check (
  value in ('prepared', 'queued', 'sent', 'completed', 'failed', 'canceled')
);
create domain svc.refund_kind as text check (value in ('authorization', 'transaction', 'reported'));

create table svc.refunds (
  account_id text collate "C" not null,
  mode svc.mode not null,
  id text collate "C" not null,
  -- The order of the queue, and of the watcher's pages.
  number bigint not null generated always as identity,
  payment_id text collate "C" not null,
  intent_id text collate "C" not null,
  intent_code svc.intent_code not null,
  kind svc.refund_kind not null,
  status svc.refund_status not null,
  -- Counts the signed refunds of the payment. Null: a reported transfer.
  sequence integer check (sequence between 1 and 65535),
  network text collate "C" not null,
  asset text collate "C" not null,
  token_shortcode text collate "C" not null,
  -- Null until the chain tells it: of a reported transfer, and of a refund that was found on chain.
  amount svc.positive_amount,
  -- What it holds of `svc.refund_totals.reserved`.
  reserved svc.amount not null default 0,
  wallet text collate "C" not null,
  recipient text collate "C" not null,
  nonce bytea check (octet_length(nonce) = 32),
  valid_after bigint,
  valid_before bigint,
  -- Null: not signed yet, reported, or found on chain.
  signature bytea,
  -- A contract wallet verified the signature.
  by_contract boolean not null default false,
  -- What a Solana transaction was prepared with, and the only lane that can send it.
  transfer jsonb,
  bound_relayer text collate "C",
  reported_transaction_id text collate "C",
  reported_log_index integer check (reported_log_index >= 0),
  relayer text collate "C",
  batch_id text collate "C",
  -- Queued, but not sent before this time.
  retry_at timestamptz,
  -- How often the chain refused it, and why last.
  refusals integer not null default 0 check (refusals >= 0),
  refusal text collate "C",
  transaction_id text collate "C",
  log_index integer check (log_index >= 0),
  failure_code text collate "C",
  reason text check (char_length(reason) <= 200),
  -- The intent was completed already when the refund was prepared.
  after_success boolean not null default false,
  created_at timestamptz not null,
  -- Not submitted later than this.
  expires_at timestamptz,
  submitted_at timestamptz,
  completed_at timestamptz,
  updated_at timestamptz not null,
  primary key (account_id, mode, id),
  check ((kind = 'reported') = (nonce is null) and (kind = 'reported') = (sequence is null)),
  check ((kind = 'reported') = (reported_transaction_id is not null)),
  check (kind <> 'transaction' or transfer is not null or signature is null),
  -- Of the family of the network, with the terms of that family: settlement reads every row of the queue.
  check (kind = 'reported' or network like case kind when 'transaction' then 'solana:%' else 'eip155:%' end),
  check (
    case when transfer is null then bound_relayer is null
    else kind = 'transaction' and jsonb_typeof(transfer) = 'object' and coalesce(transfer ->> 'relayer' = bound_relayer, false)
      and coalesce(transfer ->> 'lastValidBlockHeight' ~ '^[0-9]{1,19}$', false)
      and coalesce(transfer ->> 'slot' ~ '^[0-9]{1,19}$', false)
      and transfer ?& array['tokenProgram', 'decimals', 'blockhash', 'reference', 'sourceAccount', 'destinationAccount']
    end
  ),
  check (kind <> 'authorization' or signature is null or valid_after >= 0 and valid_before is not null),
  check (
    case status
      when 'prepared' then amount is not null and expires_at is not null and signature is null and reserved = 0
      when 'queued' then reserved > 0 and submitted_at is not null
      when 'sent' then reserved > 0 and signature is not null and relayer is not null and batch_id is not null
      when 'completed' then reserved = 0 and amount is not null and transaction_id is not null
        and log_index is not null and completed_at is not null
      when 'failed' then reserved = 0 and failure_code is not null
      else reserved = 0
    end
  )
);

-- Two refunds of one sequence never both have a signature that can move money.
create unique index refunds_sequence on svc.refunds (account_id, mode, payment_id, sequence)
  where sequence is not null and status not in ('prepared', 'canceled');
create index refunds_of_payment on svc.refunds (account_id, mode, payment_id, id);
create index refunds_queue on svc.refunds (network, number) where status = 'queued' and signature is not null;
create index refunds_open on svc.refunds (network, number) where status in ('queued', 'sent');
create index refunds_prepared on svc.refunds (expires_at) where status = 'prepared';
create index refunds_canceled on svc.refunds (updated_at) where status = 'canceled';
create index refunds_of_batch on svc.refunds (batch_id) where batch_id is not null;
create index refunds_of_recipient on svc.refunds (recipient);

-- Sums of a payment's refunds. The row is the lock of everything that reserves.
create table svc.refund_totals (
  account_id text collate "C" not null,
  mode svc.mode not null,
  payment_id text collate "C" not null,
  paid svc.positive_amount not null,
  refunded svc.amount not null default 0,
  reserved svc.amount not null default 0,
  last_sequence integer not null default 0 check (last_sequence between 0 and 65535),
  primary key (account_id, mode, payment_id),
  check (refunded + reserved <= paid)
);

-- Sum of the completed refunds. `refund_amount` is what went back of the cap in the payment's own transaction.
-- The domain gets its check after the column, so that PostgreSQL does not write the table anew.
create domain svc.refunded_amount as numeric;
alter table svc.payments add column refunded_amount svc.refunded_amount;
alter domain svc.refunded_amount add constraint refunded_amount_check check (value >= 0 and scale(value) = 0) not valid;

-- One log proves one payment, one refund, or an unattributed receipt.
alter table svc.log_proofs add column refund_id text collate "C";
alter table svc.log_proofs add constraint log_proofs_refund_check
  check (refund_id is null or payment_id is not null) not valid;

-- The API prepares, submits, reports and cancels by the functions below alone: whoever takes it over reserves at most what a
-- payment has left, and moves no refund that settlement has. Each returns null, or the code of the refusal.

-- The paid amount of a payment that can be refunded; null while it is not final or not paid.
create function svc.refundable_amount(owner text, owner_mode text, payment text) returns numeric
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select paid.paid_amount from svc.payments paid
  left join svc.settlements settled
    on settled.account_id = paid.account_id and settled.mode = paid.mode and settled.payment_id = paid.id
  where paid.account_id = owner and paid.mode = owner_mode and paid.id = payment
    and paid.status in ('completed', 'mismatched', 'refunded') and paid.paid_amount > 0
    and (
      -- Settlements are kept for 13 months, payments longer.
      settled.payment_id is null
      or settled.foreign_transaction_id is not null
      or exists (select from svc.batches sent where sent.id = settled.batch_id and sent.status = 'finalized')
    )
$$;

create function svc.lock_refund_totals(owner text, owner_mode text, payment text) returns svc.refund_totals
language plpgsql volatile set search_path = pg_catalog, pg_temp as $$
declare
  totals svc.refund_totals;
begin
  insert into svc.refund_totals (account_id, mode, payment_id, paid)
    select owner, owner_mode, payment, amount from svc.refundable_amount(owner, owner_mode, payment) as amount
    where amount is not null
    on conflict do nothing;
  select * into totals from svc.refund_totals known
    where known.account_id = owner and known.mode = owner_mode and known.payment_id = payment for update;
  return totals;
end
$$;

-- Why another refund of this kind may not begin now; null when it may.
create function svc.refund_obstacle(totals svc.refund_totals, wanted numeric, counted text[], most integer, at timestamptz)
returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
  select case
    when totals.payment_id is null then 'refund_payment_not_final'
    when wanted is null or wanted <= 0 or wanted > totals.paid - totals.refunded - totals.reserved
      then 'refund_exceeds_paid'
    when (
      select count(*) from svc.refunds open
      where open.account_id = totals.account_id and open.mode = totals.mode and open.payment_id = totals.payment_id
        and open.status = any (counted) and (open.status <> 'prepared' or open.expires_at > at)
    ) >= most then 'refund_limit_reached'
  end
$$;

-- Payouts of the account pay the wallet on the network of the payment. The API writes no payouts.
create function svc.is_refund_wallet(owner text, owner_mode text, payment text, wallet text) returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
  select exists (
    select from svc.payments paid
    join svc.payouts known
      on known.account_id = paid.account_id and known.mode = paid.mode and known.network = paid.network
    where paid.account_id = owner and paid.mode = owner_mode and paid.id = payment
      and known.merchant = wallet and known.status <> 'pending'
  )
$$;

create function svc.prepare_refund(given jsonb, at timestamptz) returns text
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  wanted svc.refunds := jsonb_populate_record(null::svc.refunds, given);
  totals svc.refund_totals := svc.lock_refund_totals(wanted.account_id, wanted.mode, wanted.payment_id);
  obstacle text := svc.refund_obstacle(totals, wanted.amount, array['prepared'], 10, at);
begin
  if obstacle is not null then
    return obstacle;
  end if;
  if not svc.is_refund_wallet(wanted.account_id, wanted.mode, wanted.payment_id, wanted.wallet) then
    return 'refund_wallet_unknown';
  end if;
  if wanted.sequence is distinct from totals.last_sequence + 1 then
    return 'refund_superseded';
  end if;
  -- A relayer pays for each: a merchant who pays himself must not have it send parts of a part for ever.
  if wanted.sequence > 20 then
    return 'refund_limit_reached';
  end if;
  insert into svc.refunds (
    account_id, mode, id, payment_id, intent_id, intent_code, kind, status, sequence, network, asset, token_shortcode,
    amount, wallet, recipient, nonce, valid_after, valid_before, transfer, bound_relayer, reason, after_success, expires_at,
    created_at, updated_at
  )
  select paid.account_id, paid.mode, wanted.id, paid.id, paid.intent_id, asked.intent_code, wanted.kind, 'prepared',
    wanted.sequence, paid.network, paid.asset, paid.token_shortcode, wanted.amount, wanted.wallet, wanted.recipient,
    wanted.nonce, wanted.valid_after, wanted.valid_before, wanted.transfer, wanted.bound_relayer, wanted.reason,
    asked.status = 'completed', wanted.expires_at, at, at
  from svc.payments paid
  join svc.intents asked on asked.account_id = paid.account_id and asked.mode = paid.mode and asked.id = paid.intent_id
  where paid.account_id = wanted.account_id and paid.mode = wanted.mode and paid.id = wanted.payment_id;
  return null;
end
$$;

create function svc.submit_refund(
  owner text, owner_mode text, refund text, signed bytea, signed_by_contract boolean, at timestamptz
) returns text
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  payment text := (
    select found.payment_id from svc.refunds found
    where found.account_id = owner and found.mode = owner_mode and found.id = refund
  );
  totals svc.refund_totals;
  known svc.refunds;
  obstacle text;
begin
  if payment is null then
    return 'not_found';
  end if;
  totals := svc.lock_refund_totals(owner, owner_mode, payment);
  select * into strict known from svc.refunds found
    where found.account_id = owner and found.mode = owner_mode and found.id = refund for update;
  if known.status <> 'prepared' then
    return case
      when known.signature = signed then null
      when known.status = 'canceled' then 'refund_canceled'
      else 'refund_already_submitted'
    end;
  end if;
  if known.expires_at <= at then
    return 'refund_canceled';
  end if;
  obstacle := svc.refund_obstacle(totals, known.amount, array['queued', 'sent'], 3, at);
  if obstacle is not null then
    return obstacle;
  end if;
  -- The merchant signed while the intent was unpaid. Since then this payment was counted for it, or was accepted.
  if known.sequence <> totals.last_sequence + 1 or not known.after_success and exists (
    select from svc.payments paid
    join svc.intents asked on asked.account_id = paid.account_id and asked.mode = paid.mode and asked.id = paid.intent_id
    where paid.account_id = owner and paid.mode = owner_mode and paid.id = payment and asked.status = 'completed'
      and (paid.part_position is not null or asked.payment_id = paid.id)
  ) then
    return 'refund_superseded';
  end if;
  update svc.refunds found
    set status = 'queued', signature = signed, by_contract = signed_by_contract, reserved = known.amount,
      submitted_at = at, updated_at = at
    where found.account_id = owner and found.mode = owner_mode and found.id = refund;
  update svc.refund_totals locked set reserved = locked.reserved + known.amount, last_sequence = known.sequence
    where locked.account_id = owner and locked.mode = owner_mode and locked.payment_id = payment;
  return null;
end
$$;

-- Queues a refund that no lane sends: a reported transfer, or one that was found on chain. Returns the id of the refund that
-- there is now, or a refusal.
create function svc.watch_refund(given jsonb, at timestamptz, out refund text, out refusal text)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  wanted svc.refunds := jsonb_populate_record(null::svc.refunds, given);
  totals svc.refund_totals := svc.lock_refund_totals(wanted.account_id, wanted.mode, wanted.payment_id);
  held numeric := coalesce(wanted.amount, totals.paid - totals.refunded - totals.reserved);
begin
  select found.id into refund from svc.refunds found
    where found.account_id = wanted.account_id and found.mode = wanted.mode and found.payment_id = wanted.payment_id
      and found.status in ('queued', 'sent', 'completed')
      and case when wanted.kind = 'reported'
        then found.reported_transaction_id = wanted.reported_transaction_id
          and found.reported_log_index is not distinct from wanted.reported_log_index
        else found.sequence = wanted.sequence end;
  if refund is not null then
    return;
  end if;
  refusal := svc.refund_obstacle(totals, held, array['queued', 'sent'], 3, at);
  if refusal is null
    and not svc.is_refund_wallet(wanted.account_id, wanted.mode, wanted.payment_id, wanted.wallet) then
    refusal := 'refund_wallet_unknown';
  end if;
  if refusal is null and wanted.kind <> 'reported' and wanted.sequence <= totals.last_sequence then
    refusal := 'refund_superseded';
  end if;
  if refusal is not null then
    return;
  end if;
  insert into svc.refunds (
    account_id, mode, id, payment_id, intent_id, intent_code, kind, status, sequence, network, asset, token_shortcode,
    reserved, wallet, recipient, nonce, reported_transaction_id, reported_log_index, reason, submitted_at, created_at,
    updated_at
  )
  select paid.account_id, paid.mode, wanted.id, paid.id, paid.intent_id, asked.intent_code, wanted.kind, 'queued',
    wanted.sequence, paid.network, paid.asset, paid.token_shortcode, held, wanted.wallet, wanted.recipient, wanted.nonce,
    wanted.reported_transaction_id, wanted.reported_log_index, wanted.reason, at, at, at
  from svc.payments paid
  join svc.intents asked on asked.account_id = paid.account_id and asked.mode = paid.mode and asked.id = paid.intent_id
  where paid.account_id = wanted.account_id and paid.mode = wanted.mode and paid.id = wanted.payment_id;
  update svc.refund_totals locked
    set reserved = locked.reserved + held,
      last_sequence = greatest(locked.last_sequence, coalesce(wanted.sequence, 0))
    where locked.account_id = wanted.account_id and locked.mode = wanted.mode
      and locked.payment_id = wanted.payment_id;
  refund := wanted.id;
end
$$;

-- True when the refund was prepared, and is canceled now.
create function svc.cancel_refund(owner text, owner_mode text, refund text, at timestamptz) returns boolean
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  update svc.refunds found set status = 'canceled', updated_at = at
  where found.account_id = owner and found.mode = owner_mode and found.id = refund and found.status = 'prepared'
  returning true
$$;

-- Cancels prepared refunds that can no longer be submitted, and deletes canceled ones 30 days later. Returns how many it
-- canceled.
create function svc.cancel_stale_refunds(at timestamptz) returns integer
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  canceled integer;
begin
  with stale as (
    select old.account_id, old.mode, old.id from svc.refunds old
    where old.status = 'prepared' and old.expires_at <= at order by old.expires_at limit 1000 for update skip locked
  )
  update svc.refunds found set status = 'canceled', updated_at = at from stale
    where found.account_id = stale.account_id and found.mode = stale.mode and found.id = stale.id;
  get diagnostics canceled = row_count;
  delete from svc.refunds gone where ctid = any (array(
    select old.ctid from svc.refunds old
    where old.status = 'canceled' and old.updated_at <= at - interval '30 days' order by old.updated_at limit 1000
  ));
  return canceled;
end
$$;

grant execute on function svc.cancel_stale_refunds(timestamptz) to svc_settlement;
grant select on svc.refunds, svc.refund_totals to svc_api, svc_settlement;
grant update (
  status, amount, reserved, wallet, recipient, relayer, batch_id, retry_at, refusals, refusal, transaction_id, log_index,
  failure_code, completed_at, updated_at
) on svc.refunds to svc_settlement;
grant update (refunded, reserved) on svc.refund_totals to svc_settlement;
grant execute on function
  svc.prepare_refund(jsonb, timestamptz), svc.submit_refund(text, text, text, bytea, boolean, timestamptz),
  svc.watch_refund(jsonb, timestamptz), svc.cancel_refund(text, text, text, timestamptz),
  svc.refundable_amount(text, text, text)
  to svc_api;

-- The API begins payments and writes no results.
alter policy api_begins on svc.payments with check (
  transaction_id is null and paid_amount is null and completed_at is null and not created_event and status = 'pending'
    and splits is null and refunded_amount is null
  or has_table_privilege('svc.batches', 'insert')
);
