-- migrate: no transaction
-- Bookings that carry entries, by payment and by id. None is there yet, so each index is empty, and making it reads the month
-- once: with a commit for each month, writes wait for the month that they go to. A run that was broken off begins again and passes
-- over what is made. One statement: PostgreSQL allows no commit in one of several.
do $$
declare
  month_table text;
begin
  foreach month_table in array (
    select array_agg(relname::text order by relname) from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = 'svc.ledger_bookings'::regclass
  ) loop
    execute format(
      'create index if not exists %I on svc.%I (payment_id) where amounts is not null',
      month_table || '_of_payment', month_table
    );
    execute format(
      'create unique index if not exists %I on svc.%I (account_id, mode, id) where amounts is not null',
      month_table || '_by_id', month_table
    );
    commit;
  end loop;
  -- They take over the indexes of the months.
  create index if not exists ledger_bookings_of_payment on svc.ledger_bookings (payment_id)
    where amounts is not null;
  create unique index if not exists ledger_bookings_by_id on svc.ledger_bookings (account_id, mode, id)
    where amounts is not null;
end
$$;
