-- An account moves to another cell: another installation of the same operator, with a database of its own.

alter domain svc.account_status drop constraint account_status_check;
alter domain svc.account_status add constraint account_status_check check (
  value in ('active', 'moving', 'moved', 'closed')
);

-- Moves that have begun here. An aborted one leaves no row.
create table svc.account_moves (
  account_id text collate "C" primary key references svc.accounts,
  -- `intent_code_prefix` of the other cell's installation: the move goes on to the same one.
  target_prefix integer not null,
  -- Up to where this cell has read the chains for the account, as of the copy that is final. The other cell reads on from there.
  cursors jsonb,
  begun_at timestamptz not null,
  moved_at timestamptz,
  -- When the account was seen enabled in the other cell, and the last work for it ended here.
  arrived_at timestamptz,
  check (moved_at is null or cursors is not null),
  check (arrived_at is null or moved_at is not null)
);

-- Batches that another cell sent, copied with the payments of an account. No lane of this cell has their nonces or paid their gas.
alter table svc.batches add column moved boolean not null default false;

-- `accounts move` makes triggers that call it, for the accounts that it names in their condition: while an account is copied, and
-- from then on. An installation that never moved an account has none. The command itself may write what the move asks for, and
-- commands of the operator over all accounts (erasure, secrets under a new key) set '*'.
create function svc.refuse_moving() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if current_setting('svc.leaving', true) in (new.account_id, '*') then
    if pg_has_role(session_user, (select relowner from pg_class where oid = tg_relid), 'usage') then
      return new;
    end if;
  end if;
  raise exception 'account % moves to another cell: % of %', new.account_id, lower(tg_op), tg_table_name
    using errcode = 'object_not_in_prerequisite_state', constraint = 'account_is_moving';
end
$$;

-- Rows of an account that arrives were judged where they were written, at another time and in another order. The setting
-- counts for the owner of the tables alone: no service can switch a check off.

create or replace function svc.assert_completed_payment_is_named() returns trigger
language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  named text;
begin
  if current_setting('svc.arriving', true) = new.account_id then
    if pg_has_role(session_user, (select relowner from pg_class where oid = tg_relid), 'usage') then
      return null;
    end if;
  end if;
  select payment_id into named from svc.intents
    where account_id = new.account_id and mode = new.mode and id = new.intent_id
    for no key update;
  if named is distinct from new.id then
    raise exception 'payment % completes, but intent % names %', new.id, new.intent_id, coalesce(named, 'none')
      using errcode = 'integrity_constraint_violation', constraint = 'one_success_per_intent';
  end if;
  return null;
end
$$;

create or replace function svc.assert_event_is_true() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  actual text;
begin
  if current_setting('svc.arriving', true) = new.account_id then
    if pg_has_role(session_user, (select relowner from pg_class where oid = tg_relid), 'usage') then
      return null;
    end if;
  end if;
  select status into actual from svc.payments
    where account_id = new.account_id and mode = new.mode and id = new.payment_id and intent_id = new.intent_id;
  if actual is null and new.mode = 'test' then
    perform from svc.intents where account_id = new.account_id and mode = new.mode and id = new.intent_id;
    if not found then
      perform from svc.payments where account_id = new.account_id and mode = new.mode and id = new.payment_id;
      if not found then
        return null;
      end if;
    end if;
  end if;
  if actual is null or actual <> (
    case new.type
      when 'payment.completed' then 'completed'
      when 'payment.failed' then 'failed'
      when 'payment.cancelled' then 'canceled'
      when 'payment.refunded' then 'refunded'
      else actual
    end
  ) then
    raise exception '% is announced, but payment % of intent % is %',
        new.type, new.payment_id, new.intent_id, coalesce(actual, 'unknown')
      using errcode = 'integrity_constraint_violation', constraint = 'event_is_true';
  end if;
  return null;
end
$$;

-- What the payment went through arrives in rows of its own.
create or replace function svc.write_payment_change() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if current_setting('svc.arriving', true) = new.account_id then
    if pg_has_role(session_user, (select relowner from pg_class where oid = tg_relid), 'usage') then
      return null;
    end if;
  end if;
  insert into svc.payment_changes (account_id, mode, payment_id, position, was_status, status, failure_code,
      was_gas_amount, changed_at)
    select new.account_id, new.mode, new.id, pg_current_xact_id()::text::bigint + known.position_offset,
      case when tg_op = 'UPDATE' then old.status end, new.status, new.failure_code,
      case when tg_op = 'UPDATE' and old.status <> 'pending'
          and (new.status = 'pending' or old.external_cost_amount is distinct from new.external_cost_amount)
        then coalesce(old.external_cost_amount, 0) end,
      new.updated_at
    from svc.ledger_order known;
  return null;
end
$$;

-- Entries that are rows of their own arrive in pages, and their bookings as bookings.
create or replace function svc.assert_entries_balance() returns trigger
language plpgsql as $$
declare
  unbalanced record;
begin
  if current_setting('svc.arriving', true) = (select min(account_id) from booked) then
    if pg_has_role(session_user, (select relowner from pg_class where oid = tg_relid), 'usage') then
      return null;
    end if;
  end if;
  select payment_id, network, asset, sum(amount) as surplus into unbalanced from booked
    group by account_id, mode, payment_id, network, asset having sum(amount) <> 0 limit 1;
  if found then
    raise exception 'entries of payment % in % on % are off by %',
        unbalanced.payment_id, unbalanced.asset, unbalanced.network, unbalanced.surplus
      using errcode = 'integrity_constraint_violation', constraint = 'entries_balance';
  end if;
  return null;
end
$$;

create or replace function svc.write_bookings() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if current_setting('svc.arriving', true) = (select min(account_id) from booked) then
    if pg_has_role(session_user, (select relowner from pg_class where oid = tg_relid), 'usage') then
      return null;
    end if;
  end if;
  insert into svc.ledger_bookings (account_id, mode, position, id, payment_id, entry_ids)
    select account_id, mode,
      pg_current_xact_id()::text::bigint + (select position_offset from svc.ledger_order),
      min(id), payment_id, array_agg(id order by id)
    from booked group by account_id, mode, payment_id;
  return null;
end
$$;
