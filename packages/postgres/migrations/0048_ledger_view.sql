-- Entries are read, and written, by the name that they had: `svc.ledger_entries` is a view of the entries that are rows of their
-- own and of those that bookings carry. Nothing is copied.

-- Retention makes and detaches months under this lock.
select pg_advisory_xact_lock(hashtextextended('svc.partitions', 0));
alter table svc.ledger_entries rename to ledger_entry_rows;
do $$
declare
  part name;
begin
  for part in
    select relname from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = 'svc.ledger_entry_rows'::regclass and relname like 'ledger\_entries\_%'
  loop
    execute format('alter table svc.%I rename to %I', part, replace(part, 'ledger_entries_', 'ledger_entry_rows_'));
  end loop;
end
$$;
update svc.partitioned_tables set table_name = 'ledger_entry_rows' where table_name = 'ledger_entries';
-- A month that was detached and waits to be dropped keeps the name of its rows.
update svc.retired_partitions set table_name = 'ledger_entry_rows' where table_name = 'ledger_entries' and dropped_at is null;

-- Bookings were kept for exports, and now they are the ledger: for the longer one of both times. Null: for ever.
update svc.partitioned_tables booking set months_kept = case
    when booking.months_kept is not null and entry.months_kept is not null then greatest(booking.months_kept, entry.months_kept)
  end
  from svc.partitioned_tables entry
  where booking.table_name = 'ledger_bookings' and entry.table_name = 'ledger_entry_rows';

-- Nothing is booked there any more. Sums of a day read it in the order of ids.
revoke all on svc.ledger_entry_rows from svc_settlement;

-- Columns have the names, types and order of the table that it was, for statements of the release before.
-- Account and mode of a booking are compared after it is found by its payment, or else an index that begins with them looks as
-- good to the planner.
create view svc.ledger_entries as
  select account_id, mode, id, payment_id, network, asset, account_name, party, amount, transaction_id, log_index, reverses,
    created_at
  from svc.ledger_entry_rows
  union all
  select booking.account_id || '', (booking.mode || '')::svc.mode, entry.id, booking.payment_id, booking.network, entry.asset, entry.account_name,
    entry.party, entry.amount, coalesce(entry.transaction_id, booking.transaction_ids[1]), entry.log_index, entry.reverses,
    booking.created_at
  from svc.ledger_bookings booking
  cross join lateral unnest(
    booking.entry_ids, booking.assets, booking.account_names, booking.parties, booking.amounts, booking.transaction_ids,
    booking.log_indexes, booking.reverses
  ) as entry (id, asset, account_name, party, amount, transaction_id, log_index, reverses)
  where booking.amounts is not null;

-- What one statement inserts becomes one booking for each payment. A rule sees the whole statement, a trigger of a view each row
-- by itself. Its rights are the owner's: nobody else may insert a booking, or choose its position. Collations are named because
-- the columns of `values` have none.
create rule ledger_entries_booked as on insert to svc.ledger_entries do instead
  insert into svc.ledger_bookings (account_id, mode, position, id, payment_id, entry_ids, network, created_at, account_names,
    parties, assets, amounts, transaction_ids, log_indexes, reverses)
  select new.account_id collate "C", new.mode collate "C",
    pg_current_xact_id()::text::bigint + (select position_offset from svc.ledger_order),
    min(new.id collate "C"), new.payment_id collate "C", array_agg(new.id order by new.id collate "C"),
    new.network collate "C", new.created_at, array_agg(new.account_name order by new.id collate "C"),
    array_agg(new.party order by new.id collate "C"), array_agg(new.asset order by new.id collate "C"),
    array_agg(new.amount order by new.id collate "C"),
    case when count(new.transaction_id) = count(*) and min(new.transaction_id collate "C") = max(new.transaction_id collate "C")
      then array[min(new.transaction_id collate "C")]
      else array_agg(new.transaction_id order by new.id collate "C") end,
    array_agg(new.log_index order by new.id collate "C"),
    case when count(new.reverses) > 0 then array_agg(new.reverses order by new.id collate "C") end
  -- The payment first: rows are sorted by it.
  group by new.payment_id collate "C", new.account_id collate "C", new.mode collate "C", new.network collate "C", new.created_at;

grant select on svc.ledger_entries to svc_api, svc_settlement;
grant insert on svc.ledger_entries to svc_settlement;

-- As of the oldest kept month of entries that are rows of their own.
create or replace function svc.first_kept_entry() returns text
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select svc.id_bound(id_prefix, (
    date_trunc('month', now() at time zone 'UTC') - make_interval(months => months_kept)
  ) at time zone 'UTC') from svc.partitioned_tables where table_name = 'ledger_entry_rows'
$$;

-- As it was, with the entries that bookings carry.
create or replace function svc.overview_of_bookings(after_position bigint, after_id text, below bigint, most integer)
returns table (
  "position" bigint, id text, account_id text, mode text, hour timestamptz, network text, asset text, sign integer, settles boolean,
  refunds boolean, bin smallint, volume numeric, refunded numeric, gas numeric, gas_value numeric, rate numeric
)
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off set jit = off as $$
  with booking as (
    select b.* from svc.ledger_bookings b
    where (b.position, b.id) > (after_position, after_id) and b.position < below
    order by b.position, b.id limit most
  ),
  entry as (
    select b.position, b.id, b.account_id, b.mode, b.payment_id, e.network, e.asset, e.account_name, e.party, e.amount,
      case when e.reverses is null then 1 else -1 end as sign,
      coalesce(original.created_at, e.created_at) as booked_at
    from booking b
    cross join lateral (
      select b.network, carried.asset, carried.account_name, carried.party, carried.amount, carried.reverses, b.created_at
      from unnest(b.assets, b.account_names, b.parties, b.amounts, b.reverses)
        as carried (asset, account_name, party, amount, reverses)
      union all
      select older.* from (
        select e.network, e.asset, e.account_name, e.party, e.amount, e.reverses, e.created_at from svc.ledger_entry_rows e
        where b.amounts is null and e.account_id = b.account_id and e.mode = b.mode and e.payment_id = b.payment_id
          and e.id >= b.entry_ids[1] and e.id <= b.entry_ids[cardinality(b.entry_ids)] and e.id = any (b.entry_ids)
        order by e.account_id, e.mode, e.payment_id, e.id offset 0
      ) older
    ) e
    left join lateral (
      select original.created_at from svc.ledger_entries original
      where e.reverses is not null and original.account_id = b.account_id and original.mode = b.mode
        and original.payment_id = b.payment_id and original.id = e.reverses limit 1
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
