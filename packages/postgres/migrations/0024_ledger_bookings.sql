-- Ledger entries in commit order, for exports.

-- Positions of the ledger are transaction ids plus an offset. A database that is restored into another cluster begins with
-- small transaction ids again: `svc.restart_ledger_order` then raises the offset, so that no later position is below one that
-- was handed out.
create table svc.ledger_order (
  only_row boolean primary key default true check (only_row),
  -- The cluster whose transaction ids are counted.
  system_identifier text not null,
  position_offset bigint not null check (position_offset >= 0)
);
insert into svc.ledger_order (system_identifier, position_offset)
  select system_identifier::text, 0 from pg_control_system();

-- True when the offset was raised: the cluster is another one, or `always` (commits were lost, as after a restore to an
-- earlier moment). No service may be connected. Positions go on from the time, 2^21 for each millisecond: no restore takes that
-- back, so a second restore of one backup begins above the first, and it fits until the year 2106.
create function svc.restart_ledger_order(always boolean) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if not always and (
    select known.system_identifier = here.system_identifier::text from svc.ledger_order known, pg_control_system() here
  ) then
    return false;
  end if;
  lock table svc.ledger_bookings in exclusive mode;
  update svc.ledger_order set position_offset = greatest(
      position_offset + (1::bigint << 40),
      (floor(extract(epoch from clock_timestamp()) * 1000)::bigint << 21) - pg_current_xact_id()::text::bigint
    ),
    system_identifier = (select here.system_identifier::text from pg_control_system() here);
  return true;
end
$$;

-- What one statement books of one payment. Bookings are read in the order of (position, id): all of a position below the
-- oldest running transaction are committed, so nothing appears behind a reader that stops there.
create table svc.ledger_bookings (
  account_id text collate "C" not null,
  mode svc.mode not null,
  -- 0: booked before positions were counted.
  position bigint not null check (position >= 0),
  -- The first of its entries.
  id text collate "C" not null,
  payment_id text collate "C" not null,
  entry_ids text[] collate "C" not null check (cardinality(entry_ids) > 0),
  primary key (account_id, mode, position, id)
) partition by range (id);

create table svc.ledger_bookings_default partition of svc.ledger_bookings default;

insert into svc.partitioned_tables (table_name, id_prefix, months_kept) values ('ledger_bookings', 'lg', 120);

-- Every month of the ledger has a month of bookings, made while the table has no rows.
do $$
declare
  month timestamp;
begin
  for month in
    select to_date(right(relname, 7), 'YYYY_MM') from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = 'svc.ledger_entries'::regclass and relname ~ '_\d{4}_\d{2}$'
  loop
    execute format(
      'create table svc.%I partition of svc.ledger_bookings for values from (%L) to (%L)',
      'ledger_bookings' || to_char(month, '_YYYY_MM'),
      svc.id_bound('lg', month at time zone 'UTC'), svc.id_bound('lg', (month + interval '1 month') at time zone 'UTC')
    );
  end loop;
end
$$;

-- Entries below this id may be gone: their month is no longer kept. Null: all are kept.
create function svc.first_kept_entry() returns text
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select svc.id_bound(id_prefix, (
    date_trunc('month', now() at time zone 'UTC') - make_interval(months => months_kept)
  ) at time zone 'UTC') from svc.partitioned_tables where table_name = 'ledger_entries'
$$;

-- Nobody else may insert a booking, hence the owner's rights.
create function svc.write_bookings() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  insert into svc.ledger_bookings (account_id, mode, position, id, payment_id, entry_ids)
    select account_id, mode,
      pg_current_xact_id()::text::bigint + (select position_offset from svc.ledger_order),
      min(id), payment_id, array_agg(id order by id)
    from booked group by account_id, mode, payment_id;
  return null;
end
$$;

create trigger ledger_entries_bookings after insert on svc.ledger_entries
  referencing new table as booked for each statement
  execute function svc.write_bookings();

grant select on svc.ledger_order, svc.ledger_bookings to svc_api;
grant execute on function svc.first_kept_entry() to svc_api;
grant select (block_number) on svc.batches to svc_api;
