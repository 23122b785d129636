-- migrate: no transaction
-- Bookings of the entries that were there before bookings were written, one commit for each month. It only inserts: others write
-- to the ledger meanwhile, and no transaction id is held for longer than a month takes. A run that was broken off begins again
-- and passes over what is booked. One statement: PostgreSQL allows no commit in one of several.
do $$
declare
  month_table text;
  month timestamp;
  first_id text;
  last_id text;
begin
  foreach month_table in array (
    select array_agg(relname::text order by relname) from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = 'svc.ledger_entries'::regclass
  ) loop
    if month_table ~ '_\d{4}_\d{2}$' then
      month := to_date(right(month_table, 7), 'YYYY_MM');
      first_id := svc.id_bound('lg', month at time zone 'UTC');
      last_id := svc.id_bound('lg', (month + interval '1 month') at time zone 'UTC');
    else
      execute format('select min(id), max(id) from svc.%I', month_table) into first_id, last_id;
      continue when first_id is null;
    end if;
    -- Bookings that were never analyzed are estimated at a few rows.
    set local enable_nestloop = off;
    -- What one statement wrote of a payment has one time.
    execute format(
      'insert into svc.ledger_bookings (account_id, mode, position, id, payment_id, entry_ids)
        select account_id, mode, 0, min(id), payment_id, array_agg(id order by id) from svc.%I entry
        where not exists (
          select from svc.ledger_bookings booking cross join unnest(booking.entry_ids) as booked (entry_id)
          where booking.id >= %L and booking.id <= %L and booked.entry_id = entry.id
        )
        group by account_id, mode, payment_id, created_at',
      month_table, first_id, last_id
    );
    commit;
  end loop;
end
$$;
