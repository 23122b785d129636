-- Bounds of what refunds cost the relayers that carry them.

-- `refunds`: gas of refunds that moved their money, by account.
alter table svc.gas_budget_uses
  drop constraint gas_budget_uses_scope_check,
  add constraint gas_budget_uses_scope_check check (scope in ('network', 'account', 'code', 'payer', 'refunds'));

-- The default lets a settlement process of the version before write the other columns.
alter table svc.gas_budgets
  add column refunds_hour svc.amount not null default 0,
  add column refunds_day svc.amount not null default 0;
update svc.gas_budgets set refunds_hour = network_hour, refunds_day = network_day;

-- What a lane may send now is found without reading what waits for its next try: of a network, and of each account in turn.
drop index svc.refunds_queue;
create index refunds_due on svc.refunds (network, (coalesce(retry_at, '-infinity'::timestamptz)), number)
  where status = 'queued' and signature is not null;
create index refunds_turns on svc.refunds (network, account_id, (coalesce(retry_at, '-infinity'::timestamptz)), number)
  where status = 'queued' and signature is not null;

create or replace function svc.prepare_refund(given jsonb, at timestamptz) returns text
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  wanted svc.refunds := jsonb_populate_record(null::svc.refunds, given);
  totals svc.refund_totals := svc.lock_refund_totals(wanted.account_id, wanted.mode, wanted.payment_id);
  obstacle text := svc.refund_obstacle(totals, wanted.amount, array['prepared'], 10, at);
  due numeric := (
    select paid.refund_due_amount from svc.payments paid
    where paid.account_id = wanted.account_id and paid.mode = wanted.mode and paid.id = wanted.payment_id
  );
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
  -- A relayer pays for each: a merchant who pays himself must not have it send parts of a part for ever, nor grains.
  if wanted.sequence > 20 then
    return 'refund_signatures_used_up';
  end if;
  -- What the policy of the account gives back can be less than that.
  if wanted.amount < least(
    ceil(totals.paid / 100),
    totals.paid - totals.refunded - totals.reserved,
    nullif(greatest(due - totals.refunded - totals.reserved, 0), 0)
  ) then
    return 'refund_too_small';
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
