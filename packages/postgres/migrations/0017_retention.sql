-- Deliveries of payment events go before others, and months that are no longer kept leave by themselves.

-- Whether the event is one of a payment. Only such deliveries may use the slots that are kept for them.
alter table svc.deliveries add column goes_first boolean not null default false;
drop index svc.deliveries_due_of_endpoint;
create index deliveries_due_of_endpoint on svc.deliveries (endpoint_id, goes_first desc, next_at) where status = 'pending';
update svc.deliveries d set goes_first = true from svc.events e
  where d.status = 'pending' and e.account_id = d.account_id and e.mode = d.mode and e.id = d.event_id
    and e.type like 'payment.%';

-- A condition, in SQL, of rows that still have work to do. A month with such a row is not retired.
alter table svc.partitioned_tables add column unfinished text;
update svc.partitioned_tables set unfinished = 'status in (''queued'', ''held'', ''batched'', ''mined'')'
  where table_name = 'settlements';
update svc.partitioned_tables set unfinished = 'closed_at is null or claim_key in (
    select claim_key from svc.stranded_transfers where status <> ''done'')'
  where table_name = 'authorizations';
update svc.partitioned_tables set unfinished = 'sequence is null' where table_name = 'audit';

-- Months that were detached from their table. The rows are in a table of the partition's name until `dropped_at`.
create table svc.retired_partitions (
  partition_name text collate "C" not null,
  -- From 1. Rows may come for a month that is gone, such as attempts of an old event that is sent again: then it is
  -- retired again.
  number integer not null check (number > 0),
  table_name text collate "C" not null,
  detached_at timestamptz not null,
  dropped_at timestamptz,
  row_count bigint check (row_count >= 0),
  -- Of the archived lines. Null: the rows were dropped without an archive.
  archive_hash svc.digest,
  primary key (partition_name, number),
  check ((dropped_at is null) = (row_count is null) and (dropped_at is not null or archive_hash is null))
);
create unique index retired_partitions_open on svc.retired_partitions (partition_name) where dropped_at is null;

-- The last run of retention.
create table svc.retention_runs (
  only_row boolean primary key default true check (only_row),
  finished_at timestamptz not null,
  -- The last run that left nothing undone.
  succeeded_at timestamptz,
  -- What the last run left undone.
  problem text
);

-- Months that `svc.partitioned_tables` no longer keeps: attached ones, and detached ones that are not dropped yet. Only
-- detached ones have a number.
create function svc.list_expired_partitions()
returns table (table_name text, partition_name text, number integer)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select item.table_name, child.relname::text, null::integer
  from svc.partitioned_tables item
  join pg_inherits on inhparent = format('svc.%I', item.table_name)::regclass
  join pg_class child on child.oid = inhrelid
  where item.months_kept is not null and child.relname ~ '_\d{4}_\d{2}$'
    and child.relname < (
      item.table_name || to_char(now() at time zone 'UTC' - make_interval(months => item.months_kept), '_YYYY_MM')
    ) collate "C"
  union all
  select retired.table_name, retired.partition_name, retired.number
  from svc.retired_partitions retired where retired.dropped_at is null
  order by 2
$$;

-- Raises unless the month may be retired: whoever may call the functions below can touch no other table.
create function svc.require_expired(partition text, detached boolean) returns void
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  if not exists (
    select from svc.list_expired_partitions() listed
    where listed.partition_name = partition and (listed.number is not null) = detached
  ) then
    raise exception '% is not a month to retire', partition using errcode = 'object_not_in_prerequisite_state';
  end if;
end
$$;

-- Whether a month has rows, and rows that still have work to do.
create function svc.inspect_expired_partition(partition text, out has_rows boolean, out has_unfinished boolean)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  listed record;
  is_unfinished text;
begin
  select * into strict listed from svc.list_expired_partitions() found where found.partition_name = partition;
  select unfinished into strict is_unfinished from svc.partitioned_tables item
    where item.table_name = listed.table_name;
  execute format('select exists (select from svc.%I)', partition) into has_rows;
  execute format('select exists (select from svc.%I where %s)', partition, coalesce(is_unfinished, 'false'))
    into has_unfinished;
end
$$;

-- Detaches a month. The rows stay, in a table of their own, where statements on the whole table do not lock them. Gives up
-- after a quarter of a second, because statements on the whole table wait behind it: call it again.
create function svc.detach_expired_partition(partition text) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '250ms' as $$
declare
  parent text;
  next_number integer;
begin
  perform pg_advisory_xact_lock(hashtextextended('svc.partitions', 0));
  perform svc.require_expired(partition, false);
  select listed.table_name into strict parent from svc.list_expired_partitions() listed
    where listed.partition_name = partition;
  execute format('alter table svc.%I detach partition svc.%I', parent, partition);
  select coalesce(max(retired.number), 0) + 1 into next_number from svc.retired_partitions retired
    where retired.partition_name = partition;
  insert into svc.retired_partitions (partition_name, number, table_name, detached_at)
    values (partition, next_number, parent, now());
  return next_number;
end
$$;

-- Keeps everybody from writing to a detached month until the end of the transaction.
create function svc.lock_retired_partition(partition text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '2s' as $$
begin
  perform svc.require_expired(partition, true);
  execute format('lock table svc.%I in share mode', partition);
end
$$;

-- Columns of a detached month, in the order of its lines.
create function svc.retired_partition_columns(partition text) returns table (column_name text, column_type text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform svc.require_expired(partition, true);
  return query select attname::text, format_type(atttypid, atttypmod) from pg_attribute
    where attrelid = format('svc.%I', partition)::regclass and attnum > 0 and not attisdropped order by attnum;
end
$$;

-- The next rows of a detached month as lines of JSON, in the order of the primary key. `after` is the line before them. The
-- same rows give the same lines, whatever the settings of the session.
create function svc.read_retired_partition(partition text, after json, most integer) returns setof text
language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp set timezone = 'UTC' set bytea_output = 'hex' set extra_float_digits = 1
  set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
declare
  key_columns text;
  key_after text;
begin
  perform svc.require_expired(partition, true);
  select string_agg(quote_ident(attname), ', ' order by ordinal),
      string_agg(quote_nullable(after ->> attname::text), ', ' order by ordinal)
    into strict key_columns, key_after
    from pg_index
    cross join lateral unnest(indkey) with ordinality as key (number, ordinal)
    join pg_attribute on attrelid = indrelid and attnum = key.number
    where indrelid = format('svc.%I', partition)::regclass and indisprimary;
  return query execute format(
    'select row_to_json(kept)::text from svc.%I as kept %s order by %s limit %s',
    partition,
    case when after is null then '' else format('where (%s) > (%s)', key_columns, key_after) end,
    key_columns,
    most
  );
end
$$;

-- Drops a detached month for good. `hash` is that of its archive, or null.
create function svc.drop_retired_partition(partition text, row_count bigint, hash bytea) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '2s' as $$
begin
  perform svc.require_expired(partition, true);
  execute format('drop table svc.%I', partition);
  update svc.retired_partitions retired
    set dropped_at = now(), row_count = drop_retired_partition.row_count, archive_hash = hash
    where retired.partition_name = partition and retired.dropped_at is null;
end
$$;

-- For each table: whole months ahead that have a partition, whether its default partition has rows of months that are kept,
-- and how many months are no longer kept.
create function svc.report_partitions()
returns table (table_name text, months_ahead integer, has_stray_rows boolean, expired integer)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  item svc.partitioned_tables;
  key_column name;
  first_kept timestamptz;
begin
  for item in select * from svc.partitioned_tables listed order by listed.table_name loop
    table_name := item.table_name;
    months_ahead := 0;
    while months_ahead < 120 and to_regclass(format('svc.%I', item.table_name || to_char(
      date_trunc('month', now() at time zone 'UTC') + make_interval(months => months_ahead + 1), '_YYYY_MM'
    ))) is not null loop
      months_ahead := months_ahead + 1;
    end loop;
    select attname into strict key_column from pg_partitioned_table
      join pg_attribute on attrelid = partrelid and attnum = partattrs[0]
      where partrelid = format('svc.%I', item.table_name)::regclass;
    first_kept := case when item.months_kept is null then 'epoch' else (
      date_trunc('month', now() at time zone 'UTC') - make_interval(months => item.months_kept)
    ) at time zone 'UTC' end;
    execute format(
      'select exists (select from svc.%I where %I >= %L)',
      item.table_name || '_default', key_column, svc.id_bound(item.id_prefix, first_kept)
    ) into has_stray_rows;
    select count(*)::integer into expired from svc.list_expired_partitions() listed
      where listed.table_name = item.table_name;
    return next;
  end loop;
end
$$;

-- The oldest month with rows in a default partition that are to be moved, by their ids. Null: there is none. A month that
-- was retired is not made again within a month: the late rows of that time leave together.
create function svc.oldest_stray_month() returns timestamptz
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  digits constant text := '0123456789abcdefghjkmnpqrstvwxyz';
  item svc.partitioned_tables;
  key_column name;
  bound text;
  key text;
  milliseconds bigint;
  month timestamp;
  oldest timestamp;
begin
  for item in select * from svc.partitioned_tables loop
    select attname into strict key_column from pg_partitioned_table
      join pg_attribute on attrelid = partrelid and attnum = partattrs[0]
      where partrelid = format('svc.%I', item.table_name)::regclass;
    bound := item.id_prefix || '_';
    loop
      execute format(
        'select min(%I) from svc.%I where %I >= %L and %I ~ %L', key_column, item.table_name || '_default',
        key_column, bound, key_column, '^' || item.id_prefix || '_[0-9a-hjkmnp-tv-z]{10}'
      ) into key;
      exit when key is null;
      select sum((strpos(digits, substr(key, length(item.id_prefix) + 1 + digit, 1)) - 1)::bigint << (5 * (10 - digit)))
        into milliseconds from generate_series(1, 10) as digit;
      -- No service writes an id of a time after the year 2099.
      exit when milliseconds >= 4102444800000;
      month := date_trunc('month', to_timestamp(milliseconds / 1000.0) at time zone 'UTC');
      if not exists (
        select from svc.retired_partitions retired
        where retired.partition_name = item.table_name || to_char(month, '_YYYY_MM')
          and coalesce(retired.dropped_at, 'infinity') > now() - interval '1 month'
      ) then
        oldest := least(oldest, month);
        exit;
      end if;
      bound := svc.id_bound(item.id_prefix, (month + interval '1 month') at time zone 'UTC');
    end loop;
  end loop;
  return oldest at time zone 'UTC';
end
$$;

-- It dropped months without an archive, at a time that its caller named.
drop function svc.drop_expired_partitions(timestamptz);

grant select on svc.retired_partitions to svc_settlement;
grant select, insert, update on svc.retention_runs to svc_settlement;
grant execute on function
  svc.list_expired_partitions(), svc.inspect_expired_partition(text), svc.detach_expired_partition(text),
  svc.lock_retired_partition(text), svc.retired_partition_columns(text),
  svc.read_retired_partition(text, json, integer), svc.drop_retired_partition(text, bigint, bytea),
  svc.report_partitions(), svc.oldest_stray_month()
  to svc_settlement;
