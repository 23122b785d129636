-- A booking carries its entries: one row for what a statement books of one payment, instead of a row for each entry.

-- Columns without a default: no row is rewritten. All are null in an older booking, whose entries are rows of their own.
alter table svc.ledger_bookings
  add column network text collate "C",
  add column created_at timestamptz,
  -- One element for each entry, in the order of `entry_ids`.
  add column account_names svc.ledger_account[],
  add column parties text[] collate "C",
  add column assets text[] collate "C",
  add column amounts svc.signed_amount[],
  -- One element if the same transaction proves all entries, otherwise one for each.
  add column transaction_ids text[] collate "C",
  add column log_indexes integer[],
  -- The entries that these reverse after a reorg, null for one that reverses none. Null: none reverses another.
  add column reverses text[] collate "C";

-- The amounts of each asset sum to zero.
create function svc.entries_balance(assets text[], amounts numeric[]) returns boolean
language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  total numeric;
begin
  for earliest in 1 .. cardinality(assets) loop
    continue when array_position(assets, assets[earliest]) < earliest;
    total := 0;
    for place in earliest .. cardinality(assets) loop
      if assets[place] = assets[earliest] then
        total := total + amounts[place];
      end if;
    end loop;
    if total <> 0 then
      return false;
    end if;
  end loop;
  return true;
end
$$;

-- Whoever inserts a row runs its checks.
grant execute on function svc.entries_balance(text[], numeric[]) to svc_settlement;

-- Every row that is written is checked. `not valid`: those that are there are not read, their new columns are null.
alter table svc.ledger_bookings
  add constraint booking_is_whole check (
    case when amounts is null then
      num_nonnulls(network, created_at, account_names, parties, assets, transaction_ids, log_indexes, reverses) = 0
    else
      num_nulls(network, created_at, account_names, parties, assets, transaction_ids, log_indexes) = 0
      and id = entry_ids[1]
      and cardinality(account_names) = cardinality(entry_ids) and cardinality(parties) = cardinality(entry_ids)
      and cardinality(assets) = cardinality(entry_ids) and cardinality(amounts) = cardinality(entry_ids)
      and cardinality(transaction_ids) in (1, cardinality(entry_ids))
      and cardinality(log_indexes) = cardinality(entry_ids)
      and coalesce(cardinality(reverses), cardinality(entry_ids)) = cardinality(entry_ids)
      and array_position(entry_ids, null) is null and array_position(account_names::text[], null) is null
      and array_position(parties, null) is null and array_position(assets, null) is null
      and array_position(amounts::numeric[], null) is null and array_position(transaction_ids, null) is null
      and array_position(log_indexes, null) is null
    end
  ) not valid,
  add constraint entries_balance check (svc.entries_balance(assets, amounts::numeric[])) not valid;
