-- Lists of payments and intents: an index for each filter, and the metadata that an account asks to find intents by.
--
-- Each index is by a hash of account, mode and the filter's value, then by id. No statement that names rows by plain columns
-- can use it, and no list can use the primary key in its place: the planner of a table that was never analyzed takes any index
-- that begins with the account for as good as any other (docs/internals/planner-rules.md). Rows of equal hash are compared.
-- A partition that already has an equal index, built without a lock before the upgrade, keeps it (docs/operate/upgrade.md).

create index payments_by_status on svc.payments
  (hashtextextended(account_id || ' ' || mode || ' ' || status, 0), id);
create index payments_by_network on svc.payments
  (hashtextextended(account_id || ' ' || mode || ' ' || network, 0), id);
create index payments_by_token on svc.payments
  (hashtextextended(account_id || ' ' || mode || ' ' || token_shortcode, 0), id);
create index payments_by_payer on svc.payments
  (hashtextextended(account_id || ' ' || mode || ' ' || payer, 0), id) where payer is not null;
create index payments_by_transaction on svc.payments
  (hashtextextended(account_id || ' ' || mode || ' ' || transaction_id, 0), id) where transaction_id is not null;
create index payments_by_intent on svc.payments
  (hashtextextended(account_id || ' ' || mode || ' ' || intent_id, 0), id);
create index intents_by_status on svc.intents
  (hashtextextended(account_id || ' ' || mode || ' ' || status, 0), id);

-- Keys of metadata by which an account finds its intents; at most five in a mode.
create table svc.metadata_keys (
  account_id text collate "C" not null,
  mode svc.mode not null,
  key text collate "C" not null check (key ~ '^[A-Za-z0-9_.-]{1,40}$'),
  -- Intents that were created before it may be missing under the key.
  declared_at timestamptz not null,
  primary key (account_id, mode, key)
);

-- Written with an intent whose metadata has a declared key; nothing of it can be read back.
create table svc.intent_metadata (
  account_id text collate "C" not null,
  mode svc.mode not null,
  intent_id text collate "C" not null,
  -- SHA-256 of account, mode, key and value.
  digest svc.digest not null,
  primary key (account_id, mode, intent_id, digest)
) partition by range (intent_id);

create table svc.intent_metadata_default partition of svc.intent_metadata default;

create index intent_metadata_of_value on svc.intent_metadata (digest, intent_id);

insert into svc.partitioned_tables (table_name, id_prefix, months_kept) values ('intent_metadata', 'pi', 120);

-- Its months from last month on, made while the table has no rows: attaching one later locks what others write.
do $$
declare
  month timestamp;
begin
  for month in
    select to_date(right(relname, 7), 'YYYY_MM') from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = 'svc.intents'::regclass and relname ~ '_\d{4}_\d{2}$'
      and right(relname, 7) >= to_char(now() at time zone 'UTC' - interval '1 month', 'YYYY_MM') collate "C"
  loop
    execute format(
      'create table svc.%I partition of svc.intent_metadata for values from (%L) to (%L)',
      'intent_metadata' || to_char(month, '_YYYY_MM'),
      svc.id_bound('pi', month at time zone 'UTC'), svc.id_bound('pi', (month + interval '1 month') at time zone 'UTC')
    );
  end loop;
end
$$;

-- An intent that nobody paid leaves with what it could be found by.
create function svc.delete_intent_metadata() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  delete from svc.intent_metadata found using gone
    where found.account_id = gone.account_id and found.mode = gone.mode and found.intent_id = gone.id;
  return null;
end
$$;

create trigger intents_metadata_deleted after delete on svc.intents
  referencing old table as gone for each statement execute function svc.delete_intent_metadata();

grant select on svc.metadata_keys to svc_api;
grant select, insert on svc.intent_metadata to svc_api;
