-- Figures of accounts over time, folded from the books. The fold reads svc.ledger_bookings, svc.ledger_entries, svc.payments and
-- svc.payment_changes, and nothing else.

-- Bookings of all accounts in commit order.
create index ledger_bookings_order on svc.ledger_bookings (position, id);

-- What happened to payments without a booking, in commit order. Rows never change. A payment that completes, and one that a
-- reorg takes back, has bookings and no row here, but for the value of its gas.
create table svc.payment_changes (
  account_id text collate "C" not null,
  mode svc.mode not null,
  payment_id text collate "C" not null,
  number bigint generated always as identity,
  -- As of bookings. 0: it happened before changes were written.
  position bigint not null check (position >= 0),
  -- Null: the payment was written in this status.
  was_status svc.payment_status,
  status svc.payment_status not null,
  failure_code text,
  -- What `external_cost_amount` was until now, 0 for none, where a booking is taken back or moved. Null: it is not.
  was_gas_amount svc.amount,
  changed_at timestamptz not null,
  primary key (account_id, mode, payment_id, number)
);
create index payment_changes_order on svc.payment_changes (position, number);

-- Nobody may insert a change, hence the owner's rights.
create function svc.write_payment_change() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
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

create trigger payments_begun_changes after insert on svc.payments
  for each row when (new.status in ('failed', 'canceled', 'mismatched')) execute function svc.write_payment_change();
create trigger payments_changes after update on svc.payments
  for each row when (
    old.status is distinct from new.status
      and (old.status in ('failed', 'canceled', 'mismatched') or new.status in ('failed', 'canceled', 'mismatched'))
    or old.status <> 'pending'
      and (new.status = 'pending' or old.external_cost_amount is distinct from new.external_cost_amount)
  )
  execute function svc.write_payment_change();

-- A part that was given back was mismatched.
insert into svc.payment_changes (account_id, mode, payment_id, position, status, failure_code, changed_at)
  select account_id, mode, id, 0, case status when 'refunded' then 'mismatched' else status end, failure_code,
    case when status in ('mismatched', 'refunded') then created_at else updated_at end
  from svc.payments
  where status in ('failed', 'canceled', 'mismatched') or status = 'refunded' and completed_at is null;

-- A sum has no upper bound: nobody who mints a test token without limit can stop the fold. Less than zero is a bucket that
-- somebody changed, which the ledger check tells.
create domain svc.summed_amount as numeric check (scale(value) = 0);

-- Each generation is a fold over everything. One is shown; another one is there while the figures are built again.
create table svc.overview_cursors (
  generation integer primary key check (generation > 0),
  shown boolean not null,
  -- The last booking and the last change that were folded.
  booking_position bigint not null default -1,
  booking_id text collate "C" not null default '',
  change_position bigint not null default -1,
  change_number bigint not null default 0,
  -- Bookings and changes folded so far.
  folded bigint not null default 0,
  -- Everything that was committed by then is folded. Null: not yet.
  as_of timestamptz,
  -- At `mark_at` no transaction at or above this position had begun: when everything below it is folded, `as_of` is `mark_at`.
  mark_position bigint,
  mark_at timestamptz,
  check ((mark_position is null) = (mark_at is null))
);
create unique index overview_cursors_shown on svc.overview_cursors (shown) where shown;
insert into svc.overview_cursors (generation, shown) values (1, true);

create table svc.overview_buckets (
  account_id text collate "C" not null,
  mode svc.mode not null,
  generation integer not null,
  hour timestamptz not null,
  network text collate "C" not null,
  asset text collate "C" not null,
  -- Payments whose money reached the merchant, those that are mismatched too.
  settled bigint not null default 0,
  -- Of them without a rate in dollars.
  unpriced bigint not null default 0,
  -- Of them mismatched, and not accepted.
  mismatched bigint not null default 0,
  failed bigint not null default 0,
  canceled bigint not null default 0,
  refunds bigint not null default 0,
  -- Bookings of settled payments that a reorg took back. Other columns are without them.
  reversals bigint not null default 0,
  -- In smallest units of the asset.
  volume_amount svc.summed_amount not null default 0,
  refunded_amount svc.summed_amount not null default 0,
  -- In smallest units of the chain's coin.
  gas_amount svc.summed_amount not null default 0,
  -- The same told in the asset, of payments of which it is known, and the volume of those payments.
  gas_value_amount svc.summed_amount not null default 0,
  carried_amount svc.summed_amount not null default 0,
  -- Each payment's amount times its dollars for a whole token in units of 10^-18.
  volume_usd_amount svc.summed_amount not null default 0,
  refunded_usd_amount svc.summed_amount not null default 0,
  gas_usd_amount svc.summed_amount not null default 0,
  carried_usd_amount svc.summed_amount not null default 0,
  primary key (account_id, mode, generation, hour, network, asset)
);

create table svc.overview_failures (
  account_id text collate "C" not null,
  mode svc.mode not null,
  generation integer not null,
  hour timestamptz not null,
  code text collate "C" not null,
  count bigint not null,
  primary key (account_id, mode, generation, hour, code)
);

-- Settled payments by the time from their begin to their booking.
create table svc.overview_times (
  account_id text collate "C" not null,
  mode svc.mode not null,
  generation integer not null,
  hour timestamptz not null,
  bin smallint not null,
  count bigint not null,
  primary key (account_id, mode, generation, hour, bin)
);

-- 0: below the first bound.
create function svc.settle_bin(milliseconds bigint) returns smallint
language sql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
  select width_bucket(milliseconds, array[
    100, 200, 300, 400, 500, 700, 1000, 1400, 2000, 2500, 3000, 3500, 4000, 5000, 6000, 7000, 8000, 10000, 12000, 14000, 17000,
    20000, 25000, 30000, 40000, 50000, 60000, 80000, 100000, 120000, 180000, 300000, 600000, 1200000, 3600000, 14400000, 86400000
  ]::bigint[])::smallint
$$;

create function svc.begin_of_hour(at timestamptz) returns timestamptz
language sql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
  select date_trunc('hour', at, 'UTC')
$$;

-- What bookings behind a position and below another add to the figures: for each payment and side, what was booked or what was
-- taken back. A reversal is counted in the hour of what it takes back. The value of gas is what the payment had when the
-- booking was committed: the next change of it tells what it was until then, and without one it is what it is now.
create function svc.overview_of_bookings(after_position bigint, after_id text, below bigint, most integer)
returns table (
  "position" bigint, id text, account_id text, mode text, hour timestamptz, network text, asset text, sign integer, settles boolean,
  refunds boolean, bin smallint, volume numeric, refunded numeric, gas numeric, gas_value numeric, rate numeric
)
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off set jit = off as $$
  with booking as materialized (
    select b.account_id, b.mode, b.position, b.id, b.payment_id, b.entry_ids from svc.ledger_bookings b
    where (b.position, b.id) > (after_position, after_id) and b.position < below
    order by b.position, b.id limit most
  ),
  entry as (
    select b.position, b.id, b.account_id, b.mode, b.payment_id, e.network, e.asset, e.account_name, e.party, e.amount,
      case when e.reverses is null then 1 else -1 end as sign,
      coalesce(original.created_at, e.created_at) as booked_at
    from booking b
    cross join lateral (
      select * from svc.ledger_entries e
      where e.account_id = b.account_id and e.mode = b.mode and e.payment_id = b.payment_id
        and e.id >= b.entry_ids[1] and e.id <= b.entry_ids[cardinality(b.entry_ids)] and e.id = any (b.entry_ids)
      order by e.account_id, e.mode, e.payment_id, e.id offset 0
    ) e
    left join lateral (
      select original.created_at from svc.ledger_entries original
      where e.reverses is not null and original.account_id = b.account_id and original.mode = b.mode
        and original.id = e.reverses limit 1
    ) original on true
  ),
  side as (
    select e.position, e.id, e.account_id, e.mode, e.payment_id, e.sign, min(e.network) as network, min(e.booked_at) as booked_at,
      min(e.asset) filter (where e.asset <> 'native') as asset,
      coalesce(sum(e.amount) filter (
        where e.account_name in ('merchant', 'split', 'platform_fee', 'escrow') and e.amount * e.sign > 0), 0) as volume,
      coalesce(-sum(e.amount) filter (where e.account_name = 'merchant' and e.amount * e.sign < 0), 0) as refunded,
      coalesce(sum(e.amount) filter (where e.asset = 'native' and e.party = 'network'), 0) as gas
    from entry e group by e.position, e.id, e.account_id, e.mode, e.payment_id, e.sign
  )
  select side.position, side.id, side.account_id, side.mode, svc.begin_of_hour(side.booked_at), side.network,
    coalesce(p.asset, side.asset, 'native'), side.sign, side.volume <> 0, side.refunded <> 0,
    case when side.volume <> 0 and p.created_at < side.booked_at
      then svc.settle_bin(floor(extract(epoch from side.booked_at - p.created_at) * 1000)::bigint) end,
    side.volume, side.refunded, side.gas,
    case when side.gas <> 0 then side.sign * coalesce((
      select c.was_gas_amount from svc.payment_changes c
      where c.account_id = side.account_id and c.mode = side.mode and c.payment_id = side.payment_id
        and c.was_gas_amount is not null
        and (c.position > side.position or c.position = side.position and side.sign = -1)
      order by c.position, c.number limit 1
    ), p.external_cost_amount) end,
    p.usd_per_token_atto
  from side left join lateral (
    select * from svc.payments p
    where p.account_id = side.account_id and p.mode = side.mode and p.id = side.payment_id limit 1
  ) p on true
$$;

-- What changes add: a payment that leaves a status is taken off in the hour in which it was counted there.
create function svc.overview_of_changes(after_position bigint, after_number bigint, below bigint, most integer)
returns table (
  "position" bigint, number bigint, account_id text, mode text, hour timestamptz, network text, asset text, status text, code text,
  sign integer
)
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off set jit = off as $$
  with change as materialized (
    select * from svc.payment_changes c
    where (c.position, c.number) > (after_position, after_number) and c.position < below
    order by c.position, c.number limit most
  ),
  counted as (
    select change.*, change.status::text as counted_status, change.failure_code as code, change.changed_at as counted_at, 1 as sign
    from change where change.status is distinct from change.was_status
    union all
    select change.*, change.was_status::text, earlier.failure_code, earlier.changed_at, -1
    from change
    cross join lateral (
      select e.failure_code, e.changed_at from svc.payment_changes e
      where e.account_id = change.account_id and e.mode = change.mode and e.payment_id = change.payment_id
        and e.number < change.number and e.status = change.was_status and e.status is distinct from e.was_status
      order by e.number desc limit 1
    ) earlier
    where change.status is distinct from change.was_status
      and not (change.was_status = 'mismatched' and change.status <> 'completed')
  )
  select counted.position, counted.number, counted.account_id, counted.mode, svc.begin_of_hour(counted.counted_at), p.network,
    p.asset, counted.counted_status, counted.code, counted.sign
  from counted join lateral (
    select * from svc.payments p
    where p.account_id = counted.account_id and p.mode = counted.mode and p.id = counted.payment_id limit 1
  ) p on true
  where counted.counted_status in ('failed', 'canceled', 'mismatched')
$$;

-- Folds at most `most` bookings and as many changes into a generation, in the caller's transaction: buckets and cursor move
-- together. Another process that folds the same generation is not waited for.
create function svc.fold_generation(wanted integer, most integer)
returns table (busy boolean, folded integer, drained boolean, as_of timestamptz)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  here_now timestamptz;
  below bigint;
  next_position bigint;
  known svc.overview_cursors;
  booking record;
  change record;
  is_drained boolean;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('svc.overview/' || wanted, 0)) then
    return query select true, 0, false, (select c.as_of from svc.overview_cursors c where c.generation = wanted);
    return;
  end if;
  -- The time first: what was committed by then is in the snapshot. Everything below its oldest running transaction is
  -- committed, and nothing was written at or above its next one.
  here_now := clock_timestamp();
  select o.position_offset + pg_snapshot_xmin(s.now)::text::bigint, o.position_offset + pg_snapshot_xmax(s.now)::text::bigint
    into below, next_position
    from svc.ledger_order o, (select pg_current_snapshot() as now) s, pg_control_system() here
    where o.system_identifier = here.system_identifier::text;
  if not found then
    raise exception 'positions of the ledger are of another cluster: run migrate'
      using errcode = 'object_not_in_prerequisite_state';
  end if;
  select * into known from svc.overview_cursors c where c.generation = wanted;
  -- Another generation took its place meanwhile.
  if not found then
    return query select true, 0, false, null::timestamptz;
    return;
  end if;

  select count(*)::integer as count, (array_agg(page.position order by page.position desc, page.id desc))[1] as position,
      (array_agg(page.id order by page.position desc, page.id desc))[1] as id
    into booking
    from (
      select b.position, b.id from svc.ledger_bookings b
      where (b.position, b.id) > (known.booking_position, known.booking_id) and b.position < below
      order by b.position, b.id limit most
    ) page;
  if booking.count > 0 then
    with added as materialized (
      select * from svc.overview_of_bookings(known.booking_position, known.booking_id, below, most)
    ),
    times as (
      insert into svc.overview_times as t (account_id, mode, generation, hour, bin, count)
      select a.account_id, a.mode, wanted, a.hour, a.bin, sum(a.sign) from added a where a.bin is not null
      group by a.account_id, a.mode, a.hour, a.bin
      on conflict (account_id, mode, generation, hour, bin) do update set count = t.count + excluded.count
    )
    insert into svc.overview_buckets as bucket (account_id, mode, generation, hour, network, asset, settled, unpriced, refunds,
      reversals, volume_amount, refunded_amount, gas_amount, gas_value_amount, carried_amount, volume_usd_amount,
      refunded_usd_amount, gas_usd_amount, carried_usd_amount)
    select a.account_id, a.mode, wanted, a.hour, a.network, a.asset,
      coalesce(sum(a.sign) filter (where a.settles), 0), coalesce(sum(a.sign) filter (where a.settles and a.rate is null), 0),
      coalesce(sum(a.sign) filter (where a.refunds), 0), count(*) filter (where a.settles and a.sign = -1),
      sum(a.volume), sum(a.refunded), sum(a.gas), coalesce(sum(a.gas_value), 0),
      coalesce(sum(a.volume) filter (where a.gas_value <> 0), 0), coalesce(sum(a.volume * a.rate), 0),
      coalesce(sum(a.refunded * a.rate), 0), coalesce(sum(a.gas_value * a.rate), 0),
      coalesce(sum(a.volume * a.rate) filter (where a.gas_value <> 0), 0)
    from added a group by a.account_id, a.mode, a.hour, a.network, a.asset
    on conflict (account_id, mode, generation, hour, network, asset) do update set
      settled = bucket.settled + excluded.settled, unpriced = bucket.unpriced + excluded.unpriced,
      refunds = bucket.refunds + excluded.refunds, reversals = bucket.reversals + excluded.reversals,
      volume_amount = bucket.volume_amount + excluded.volume_amount,
      refunded_amount = bucket.refunded_amount + excluded.refunded_amount,
      gas_amount = bucket.gas_amount + excluded.gas_amount, gas_value_amount = bucket.gas_value_amount + excluded.gas_value_amount,
      carried_amount = bucket.carried_amount + excluded.carried_amount,
      volume_usd_amount = bucket.volume_usd_amount + excluded.volume_usd_amount,
      refunded_usd_amount = bucket.refunded_usd_amount + excluded.refunded_usd_amount,
      gas_usd_amount = bucket.gas_usd_amount + excluded.gas_usd_amount,
      carried_usd_amount = bucket.carried_usd_amount + excluded.carried_usd_amount;
  end if;

  select count(*)::integer as count, (array_agg(page.position order by page.position desc, page.number desc))[1] as position,
      (array_agg(page.number order by page.position desc, page.number desc))[1] as number
    into change
    from (
      select c.position, c.number from svc.payment_changes c
      where (c.position, c.number) > (known.change_position, known.change_number) and c.position < below
      order by c.position, c.number limit most
    ) page;
  if change.count > 0 then
    with added as materialized (
      select * from svc.overview_of_changes(known.change_position, known.change_number, below, most)
    ),
    failures as (
      insert into svc.overview_failures as f (account_id, mode, generation, hour, code, count)
      select a.account_id, a.mode, wanted, a.hour, coalesce(a.code, 'unknown'), sum(a.sign) from added a where a.status = 'failed'
      group by a.account_id, a.mode, a.hour, coalesce(a.code, 'unknown')
      on conflict (account_id, mode, generation, hour, code) do update set count = f.count + excluded.count
    )
    insert into svc.overview_buckets as bucket (account_id, mode, generation, hour, network, asset, mismatched, failed, canceled)
    select a.account_id, a.mode, wanted, a.hour, a.network, a.asset,
      coalesce(sum(a.sign) filter (where a.status = 'mismatched'), 0),
      coalesce(sum(a.sign) filter (where a.status = 'failed'), 0), coalesce(sum(a.sign) filter (where a.status = 'canceled'), 0)
    from added a group by a.account_id, a.mode, a.hour, a.network, a.asset
    on conflict (account_id, mode, generation, hour, network, asset) do update set
      mismatched = bucket.mismatched + excluded.mismatched, failed = bucket.failed + excluded.failed,
      canceled = bucket.canceled + excluded.canceled;
  end if;

  -- An idle database is written to every other second.
  if booking.count + change.count = 0 and known.as_of > here_now - interval '2 seconds' then
    return query select false, 0, true, known.as_of;
    return;
  end if;
  is_drained := booking.count < most and change.count < most;
  if is_drained and below = next_position then
    known.as_of := here_now;
    known.mark_position := null;
    known.mark_at := null;
  elsif is_drained then
    if below >= known.mark_position then
      known.as_of := known.mark_at;
      known.mark_position := null;
    end if;
    if known.mark_position is null then
      known.mark_position := next_position;
      known.mark_at := here_now;
    end if;
  end if;
  update svc.overview_cursors c set
    booking_position = coalesce(booking.position, known.booking_position), booking_id = coalesce(booking.id, known.booking_id),
    change_position = coalesce(change.position, known.change_position),
    change_number = coalesce(change.number, known.change_number),
    folded = known.folded + booking.count + change.count, as_of = known.as_of, mark_position = known.mark_position,
    mark_at = known.mark_at
  where c.generation = wanted;
  return query select false, booking.count + change.count, is_drained, known.as_of;
end
$$;

-- Folds into the generation that is shown. The console process alone may call it: it gets no right to read or to write the
-- books or the figures.
create function svc.fold_overview()
returns table (busy boolean, folded integer, drained boolean, as_of timestamptz)
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  select step.* from svc.overview_cursors c cross join lateral svc.fold_generation(c.generation, 5000) step where c.shown
$$;
grant execute on function svc.fold_overview() to svc_console;

grant select on svc.overview_cursors, svc.overview_buckets, svc.overview_failures, svc.overview_times to svc_api;
