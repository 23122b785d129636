import type pg from 'pg';

// An entry that a booking carries is an element of each array of the booking.
const CHANGE = `
  create or replace function svc.change_entry() returns trigger language plpgsql as $$
  declare
    booking svc.ledger_bookings;
    place integer;
  begin
    if tg_op = 'DELETE' then
      delete from svc.ledger_entry_rows where id = old.id;
    else
      update svc.ledger_entry_rows set payment_id = new.payment_id, account_name = new.account_name, party = new.party,
        amount = new.amount, transaction_id = new.transaction_id where id = old.id;
    end if;
    select * into booking from svc.ledger_bookings where amounts is not null and old.id = any (entry_ids);
    if not found then return old; end if;
    place := array_position(booking.entry_ids, old.id);
    if cardinality(booking.transaction_ids) = 1 then
      booking.transaction_ids := array_fill(booking.transaction_ids[1], array[cardinality(booking.entry_ids)]);
    end if;
    if tg_op = 'UPDATE' then
      booking.account_names[place] := new.account_name;
      booking.parties[place] := new.party;
      booking.amounts[place] := new.amount;
      booking.transaction_ids[place] := new.transaction_id;
      update svc.ledger_bookings set payment_id = new.payment_id, account_names = booking.account_names,
        parties = booking.parties, amounts = booking.amounts, transaction_ids = booking.transaction_ids where id = booking.id;
      return new;
    end if;
    if cardinality(booking.entry_ids) = 1 then
      delete from svc.ledger_bookings where id = booking.id;
      return old;
    end if;
    update svc.ledger_bookings set (entry_ids, account_names, parties, assets, amounts, transaction_ids, log_indexes, reverses) = (
        select array_agg(e.id order by e.id), array_agg(e.account_name order by e.id), array_agg(e.party order by e.id),
          array_agg(e.asset order by e.id), array_agg(e.amount order by e.id), array_agg(e.transaction_id order by e.id),
          array_agg(e.log_index order by e.id), case when booking.reverses is not null then array_agg(e.reverses order by e.id) end
        from unnest(booking.entry_ids, booking.account_names, booking.parties, booking.assets, booking.amounts,
          booking.transaction_ids, booking.log_indexes, booking.reverses)
          as e (id, account_name, party, asset, amount, transaction_id, log_index, reverses)
        where e.id <> old.id
      ) where id = booking.id;
    return old;
  end
  $$;
  create or replace trigger change_entry instead of update or delete on svc.ledger_entries
    for each row execute function svc.change_entry()`;

/** Makes entries changeable, and lets in what does not balance, as the owner of the schema could. */
export async function unguardLedger(pool: pg.Pool): Promise<void> {
  const { rowCount } = await pool.query("select from pg_proc where proname = 'change_entry'");
  if (rowCount !== 0) return;
  await pool.query('alter table svc.ledger_bookings drop constraint entries_balance, drop constraint booking_is_whole');
  await pool.query(CHANGE);
}
