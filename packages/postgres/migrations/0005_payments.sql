-- Payments and the ledger. Amounts are in the smallest unit of `asset`.

create domain svc.payment_status as text check (
  value in ('pending', 'completed', 'failed', 'canceled', 'refunded', 'mismatched')
);
create domain svc.ledger_account as text check (
  value in ('payer', 'merchant', 'split', 'platform_fee', 'refund', 'network_cost', 'stranded', 'escrow')
);

-- No index by intent: an intent names its payment. The planner of a table that was never analyzed prefers such an index to
-- the primary key, and then reads every payment of the account to find one.
create table svc.payments (
  account_id text collate "C" not null,
  mode svc.mode not null,
  id text collate "C" not null,
  intent_id text collate "C" not null,
  status svc.payment_status not null,
  network text collate "C" not null,
  token_shortcode text collate "C" not null,
  asset text collate "C" not null,
  payer text collate "C",
  amount svc.amount not null,
  requested_amount svc.amount,
  paid_amount svc.amount,
  fee_amount svc.amount,
  refund_amount svc.amount,
  external_cost_amount svc.amount,
  transaction_id text collate "C",
  -- The item of a batched transaction: `<transaction>:<log index>`.
  transaction_split_id text collate "C",
  settlement_number bigint,
  failure_code text,
  -- Whether `payment.created` was emitted, which happens once.
  created_event boolean not null default false,
  created_at timestamptz not null,
  completed_at timestamptz,
  updated_at timestamptz not null,
  primary key (account_id, mode, id),
  check (
    case status
      when 'completed' then completed_at is not null and coalesce(paid_amount, 0) > 0
      when 'failed' then failure_code is not null
      else true
    end
  )
) partition by range (id);

create table svc.payments_default partition of svc.payments default;

-- At most one payment of an intent succeeds, over all months: only the payment that the intent names may complete, and the
-- intent may name another only when the one before can't succeed any more. Both triggers run at commit, whatever statement
-- made the change, and both lock the intent, so that of two concurrent transactions the second sees the first.
-- Each function looks up one row by its key for every payment: `plan_cache_mode` saves planning that query again, which
-- takes longer than running it.
create function svc.assert_completed_payment_is_named() returns trigger
language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  named text;
begin
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

create constraint trigger payments_completed_is_named
  after insert or update of status on svc.payments deferrable initially deferred
  for each row when (new.status = 'completed')
  execute function svc.assert_completed_payment_is_named();

create function svc.assert_replaced_payment_is_over() returns trigger
language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  replaced text;
begin
  select status into replaced from svc.payments
    where account_id = old.account_id and mode = old.mode and id = old.payment_id;
  if replaced in ('pending', 'completed', 'refunded') then
    raise exception 'intent % gives up payment %, which is %', old.id, old.payment_id, replaced
      using errcode = 'integrity_constraint_violation', constraint = 'one_success_per_intent';
  end if;
  return null;
end
$$;

create constraint trigger intents_replaced_payment_is_over
  after update of payment_id on svc.intents deferrable initially deferred
  for each row when (old.payment_id is not null and old.payment_id is distinct from new.payment_id)
  execute function svc.assert_replaced_payment_is_over();

create table svc.ledger_entries (
  account_id text collate "C" not null,
  mode svc.mode not null,
  id text collate "C" not null,
  payment_id text collate "C" not null,
  network text collate "C" not null,
  asset text collate "C" not null,
  account_name svc.ledger_account not null,
  party text collate "C" not null,
  amount svc.signed_amount not null,
  -- The log on chain that proves the entry.
  transaction_id text collate "C" not null,
  log_index integer not null,
  -- The entry that this one reverses after a reorg.
  reverses text collate "C",
  created_at timestamptz not null,
  primary key (account_id, mode, id)
) partition by range (id);

create table svc.ledger_entries_default partition of svc.ledger_entries default;

create index ledger_entries_of_payment on svc.ledger_entries (account_id, mode, payment_id, id);

-- The entries that one statement inserts sum to zero per payment and asset.
create function svc.assert_entries_balance() returns trigger
language plpgsql as $$
declare
  unbalanced record;
begin
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

create trigger ledger_entries_balance after insert on svc.ledger_entries
  referencing new table as booked for each statement
  execute function svc.assert_entries_balance();

insert into svc.partitioned_tables (table_name, id_prefix, months_kept) values
  ('payments', 'pay', 120),
  ('ledger_entries', 'lg', 120);
