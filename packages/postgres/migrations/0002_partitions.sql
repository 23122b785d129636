-- Monthly partitions. Tables that keep years of rows are partitioned by the time inside their ids. A migration that creates
-- such a table adds it to this list, with the number of whole months to keep (null: all of them).
create table svc.partitioned_tables (
  table_name text collate "C" primary key,
  id_prefix text not null,
  months_kept integer check (months_kept > 0)
);

-- Creates the missing partitions from `months_back` before to `months_ahead` after the month of `at`; returns their names.
-- Rows that went to the default partition because their month was missing are moved to the new partition.
create function svc.ensure_partitions(months_back integer, months_ahead integer, at timestamptz default now())
returns setof text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  item svc.partitioned_tables;
  key_column name;
  month timestamptz;
  partition_name text;
  lower_bound text;
  upper_bound text;
  stray boolean;
begin
  perform pg_advisory_xact_lock(hashtextextended('svc.partitions', 0));
  for item in select * from svc.partitioned_tables order by table_name loop
    select attname into strict key_column
      from pg_partitioned_table
      join pg_attribute on attrelid = partrelid and attnum = partattrs[0]
      where partrelid = format('svc.%I', item.table_name)::regclass;
    for ahead in -months_back .. months_ahead loop
      month := (date_trunc('month', at at time zone 'UTC') + make_interval(months => ahead)) at time zone 'UTC';
      partition_name := item.table_name || to_char(month at time zone 'UTC', '_YYYY_MM');
      continue when to_regclass(format('svc.%I', partition_name)) is not null;
      lower_bound := svc.id_bound(item.id_prefix, month);
      upper_bound := svc.id_bound(item.id_prefix, (month at time zone 'UTC' + interval '1 month') at time zone 'UTC');

      -- Created alone, then attached: `create table ... partition of` takes an exclusive lock on the whole table.
      execute format('create table svc.%I (like svc.%I including all)', partition_name, item.table_name);
      execute format(
        'select exists (select from svc.%I where %I >= %L and %I < %L)',
        item.table_name || '_default', key_column, lower_bound, key_column, upper_bound
      ) into stray;
      if stray then
        -- The trigger of an append-only table refuses the delete. It is disabled for this move, which is one transaction.
        execute format('alter table svc.%I disable trigger user', item.table_name || '_default');
        execute format(
          'with moved as (delete from svc.%I where %I >= %L and %I < %L returning *) insert into svc.%I select * from moved',
          item.table_name || '_default', key_column, lower_bound, key_column, upper_bound, partition_name
        );
        execute format('alter table svc.%I enable trigger user', item.table_name || '_default');
      end if;
      execute format(
        'alter table svc.%I attach partition svc.%I for values from (%L) to (%L)',
        item.table_name, partition_name, lower_bound, upper_bound
      );
      return next partition_name;
    end loop;
  end loop;
end
$$;

-- Drops the months that `svc.partitioned_tables` no longer keeps, and returns their names. Waits at most two seconds for a
-- table that is in use, then raises and changes nothing.
create function svc.drop_expired_partitions(at timestamptz default now()) returns setof text
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '2s' as $$
declare
  item svc.partitioned_tables;
  partition_name text;
  first_kept text;
begin
  perform pg_advisory_xact_lock(hashtextextended('svc.partitions', 0));
  for item in select * from svc.partitioned_tables where months_kept is not null order by table_name loop
    first_kept := item.table_name
      || to_char(at at time zone 'UTC' - make_interval(months => item.months_kept), '_YYYY_MM');
    for partition_name in
      select relname from pg_inherits join pg_class on pg_class.oid = inhrelid
        where inhparent = format('svc.%I', item.table_name)::regclass
          and relname ~ '_\d{4}_\d{2}$' and relname < first_kept collate "C"
        order by relname
    loop
      execute format('alter table svc.%I detach partition svc.%I', item.table_name, partition_name);
      execute format('drop table svc.%I', partition_name);
      return next partition_name;
    end loop;
  end loop;
end
$$;
