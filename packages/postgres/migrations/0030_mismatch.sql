-- Mismatch: money for an intent that is another amount than it asks for, or that it no longer asks for.

-- What the account wants done with it. A difference up to the larger of both tolerances counts as none. Over: more than
-- asked, and money that the intent no longer asks for. Under: less than asked.
alter table svc.account_modes
  add column mismatch_tolerance_usd_micros bigint not null default 0
    constraint account_modes_tolerance_usd_check check (mismatch_tolerance_usd_micros between 0 and 1000000000000000000),
  add column mismatch_tolerance_bps integer not null default 0
    constraint account_modes_tolerance_bps_check check (mismatch_tolerance_bps between 0 and 10000),
  add column mismatch_over text collate "C" not null default 'refund'
    constraint account_modes_over_check check (mismatch_over in ('accept', 'hold', 'refund')),
  add column mismatch_under text collate "C" not null default 'hold'
    constraint account_modes_under_check check (mismatch_under in ('accept', 'hold', 'refund'));
grant update (mismatch_tolerance_usd_micros, mismatch_tolerance_bps, mismatch_over, mismatch_under)
  on svc.account_modes to svc_admin;

-- The domain gets its check after the columns, so that PostgreSQL does not write the table anew.
create domain svc.told_amount as numeric;
alter table svc.payments
  -- The payment counts towards the sum that is paid for this acceptance of its intent. Null: it does not.
  add column part_position smallint,
  -- This payment and the parts before it. Null: it is alone and pays the asked amount.
  add column paid_total svc.told_amount,
  -- What the policy of the account gives back of it. Null: nothing.
  add column refund_due_amount svc.told_amount;
alter domain svc.told_amount add constraint told_amount_check check (
  value > 0 and value < 2::numeric ^ 256 and scale(value) = 0
) not valid;
create index payments_parts on svc.payments (account_id, mode, intent_id) where part_position is not null;

-- What is paid in parts of an intent, by acceptance, without what was or is being refunded. The caller holds the lock of the
-- intent. The totals of every part are locked until its transaction ends, so that no refund of a part begins while the part
-- is counted. Who completes a refund locks the totals before the intent: totals that another process has are not waited for,
-- and the answer is then one row without a position.
create function svc.lock_parts(owner text, owner_mode text, intent text) returns table (acceptance smallint, counted numeric)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  parts text[] := array(
    select part.id from svc.payments part
    where part.account_id = owner and part.mode = owner_mode and part.intent_id = intent and part.part_position is not null
    order by part.id
  );
  held text[];
begin
  insert into svc.refund_totals (account_id, mode, payment_id, paid)
    select owner, owner_mode, part, amount
    from unnest(parts) as part cross join lateral svc.refundable_amount(owner, owner_mode, part) as amount
    where amount is not null
    on conflict do nothing;
  held := array(
    select totals.payment_id from svc.refund_totals totals
    where totals.account_id = owner and totals.mode = owner_mode and totals.payment_id = any (parts)
    order by totals.payment_id for update skip locked
  );
  if exists (
    select from svc.refund_totals totals
    where totals.account_id = owner and totals.mode = owner_mode and totals.payment_id = any (parts)
      and totals.payment_id <> all (held)
  ) then
    return query select null::smallint, null::numeric;
    return;
  end if;
  return query
    select part.part_position, sum(part.paid_amount - coalesce(totals.refunded + totals.reserved, 0))
    from svc.payments part
    left join svc.refund_totals totals
      on totals.account_id = part.account_id and totals.mode = part.mode and totals.payment_id = part.id
    where part.account_id = owner and part.mode = owner_mode and part.id = any (parts)
    group by part.part_position;
end
$$;
grant execute on function svc.lock_parts(text, text, text) to svc_settlement;

-- Parts of it are paid: a payment that fails gives it back as `mismatched`.
alter table svc.intents add column has_parts boolean not null default false;

-- An intent that is paid in part can expire too.
drop index svc.intents_expiring;
create index intents_expiring on svc.intents (expires_at) where status in ('requires_payment', 'mismatched');

-- The API begins intents and payments and writes no results.
alter policy api_begins on svc.intents with check (
  payment_id is null and status = 'requires_payment' and not has_parts or has_table_privilege('svc.batches', 'insert')
);
alter policy api_begins on svc.payments with check (
  transaction_id is null and paid_amount is null and completed_at is null and not created_event and status = 'pending'
    and splits is null and refunded_amount is null and part_position is null and paid_total is null
    and refund_due_amount is null
  or has_table_privilege('svc.batches', 'insert')
);

-- A part that was given back is over too. It never completed its intent, and has no time at which it did.
create or replace function svc.assert_replaced_payment_is_over() returns trigger
language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  replaced record;
begin
  select status, completed_at into replaced from svc.payments
    where account_id = old.account_id and mode = old.mode and id = old.payment_id;
  if replaced.status in ('pending', 'completed') or replaced.status = 'refunded' and replaced.completed_at is not null then
    raise exception 'intent % gives up payment %, which is %', old.id, old.payment_id, replaced.status
      using errcode = 'integrity_constraint_violation', constraint = 'one_success_per_intent';
  end if;
  return null;
end
$$;

-- The API may claim and cancel an intent that is paid in part as one that is unpaid.
drop trigger intents_settled_by_settlement on svc.intents;
create trigger intents_settled_by_settlement before update of status on svc.intents
  for each row when (
    old.status <> new.status
    and not (old.status in ('requires_payment', 'mismatched') and new.status in ('processing', 'canceled'))
  )
  execute function svc.assert_may_settle();

-- A further part leaves the status as it is; whoever waits for the intent is told of it.
drop trigger intents_notify on svc.intents;
create trigger intents_notify after update on svc.intents
  for each row when (
    old.status is distinct from new.status and new.status <> 'processing'
    or new.status = 'mismatched' and old.payment_id is distinct from new.payment_id
  )
  execute function svc.notify_intent();
