-- Partitions of a day. An operator with a large load sets `partition_by` of a table to 'day': months ahead that are empty are
-- replaced, months with rows stay, and days begin after them. A day is named `events_2026_11_18` and is retired like a month.
alter table svc.partitioned_tables
  add column partition_by text collate "C" not null default 'month' check (partition_by in ('month', 'day')),
  -- Since and until when the table has partitions of days, the end exclusive. Both null: it has months alone.
  add column first_day date,
  add column end_day date,
  add check ((first_day is null) = (end_day is null)),
  -- Every statement on the table locks all its partitions and many look into each, so a table has at most about 100 of them.
  add constraint partitioned_tables_few_days check (partition_by = 'month' or coalesce(months_kept, 1000) <= 3);

-- Whether days of that month have tables, attached or detached.
create function svc.has_day_tables(table_name text, month date) returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
  select exists (
    select from pg_class where relnamespace = 'svc'::regnamespace and relkind = 'r'
      and relname >= (table_name || to_char(month, '_YYYY_MM_01'))::name
      and relname <= (table_name || to_char(month, '_YYYY_MM_31'))::name
  )
$$;

-- Of the table or partition that has, or would get, the rows of that day. A month that has its table stays a month, and a month
-- that has days stays cut into days.
create function svc.partition_of_day(
  item svc.partitioned_tables, day date, out partition_name text, out first_day date, out end_day date
)
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  month_name text := item.table_name || to_char(day, '_YYYY_MM');
begin
  if to_regclass(format('svc.%I', month_name)) is null
    and (item.partition_by = 'day' or svc.has_day_tables(item.table_name, day)) then
    partition_name := item.table_name || to_char(day, '_YYYY_MM_DD');
    first_day := day;
    end_day := day + 1;
  else
    partition_name := month_name;
    first_day := date_trunc('month', day::timestamp)::date;
    end_day := (first_day + interval '1 month')::date;
  end if;
end
$$;

create function svc.partition_key(table_name text) returns name
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  key_column name;
begin
  select attname into strict key_column from pg_partitioned_table
    join pg_attribute on attrelid = partrelid and attnum = partattrs[0]
    where partrelid = format('svc.%I', table_name)::regclass;
  return key_column;
end
$$;

-- Makes the partition of a day, unless a table has its name. Rows that went to the default partition are moved to it.
create function svc.make_partition(item svc.partitioned_tables, day date) returns text
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  part record;
  key_column name := svc.partition_key(item.table_name);
  lower_bound text;
  upper_bound text;
  stray boolean;
begin
  select * into strict part from svc.partition_of_day(item, day);
  if to_regclass(format('svc.%I', part.partition_name)) is not null then
    return null;
  end if;
  lower_bound := svc.id_bound(item.id_prefix, part.first_day::timestamp at time zone 'UTC');
  upper_bound := svc.id_bound(item.id_prefix, part.end_day::timestamp at time zone 'UTC');

  -- Created alone, then attached: `create table ... partition of` takes an exclusive lock on the whole table.
  execute format('create table svc.%I (like svc.%I including all)', part.partition_name, item.table_name);
  if item.fill_percent is not null then
    execute format('alter table svc.%I set (fillfactor = %s)', part.partition_name, item.fill_percent);
  end if;
  execute format(
    'select exists (select from svc.%I where %I >= %L and %I < %L)',
    item.table_name || '_default', key_column, lower_bound, key_column, upper_bound
  ) into stray;
  if stray then
    -- The trigger of an append-only table refuses the delete. It is disabled for this move, which is one transaction.
    execute format('alter table svc.%I disable trigger user', item.table_name || '_default');
    execute format(
      'with moved as (delete from svc.%I where %I >= %L and %I < %L returning *) insert into svc.%I select * from moved',
      item.table_name || '_default', key_column, lower_bound, key_column, upper_bound, part.partition_name
    );
    execute format('alter table svc.%I enable trigger user', item.table_name || '_default');
  end if;
  execute format(
    'alter table svc.%I attach partition svc.%I for values from (%L) to (%L)',
    item.table_name, part.partition_name, lower_bound, upper_bound
  );
  if part.end_day = part.first_day + 1 then
    update svc.partitioned_tables listed
      set first_day = least(listed.first_day, part.first_day), end_day = greatest(listed.end_day, part.end_day)
      where listed.table_name = item.table_name;
  end if;
  return part.partition_name;
end
$$;

-- As before, with days: a table of days gets the day of `at`, the ten after it if a month ahead is asked for, and the two before
-- it if a month back is. One call makes some 64 days, the nearest first: every table and index is a lock.
create or replace function svc.ensure_partitions(months_back integer, months_ahead integer, at timestamptz default now())
returns setof text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  item svc.partitioned_tables;
  today date := (at at time zone 'UTC')::date;
  month date;
  made text;
  days_made integer := 0;
  most_ahead integer := case when months_ahead > 0 then 10 else 0 end;
  most_back integer := case when months_back > 0 then 2 else 0 end;
begin
  perform pg_advisory_xact_lock(hashtextextended('svc.partitions', 0));
  for item in select * from svc.partitioned_tables where partition_by = 'month' order by table_name loop
    for ahead in -months_back .. months_ahead loop
      month := (date_trunc('month', today::timestamp) + make_interval(months => ahead))::date;
      -- Days that hold rows go on to the end of their month; see below.
      continue when svc.has_day_tables(item.table_name, month);
      made := svc.make_partition(item, month);
      if made is not null then
        return next made;
      end if;
    end loop;
  end loop;
  for distance in 0 .. greatest(most_ahead, most_back) loop
    for item in
      select * from svc.partitioned_tables where partition_by = 'day' or first_day is not null order by table_name
    loop
      for step in -1 .. 1 by 2 loop
        continue when distance = 0 and step = 1 or distance > case step when 1 then most_ahead else most_back end;
        continue when item.partition_by = 'month' and not svc.has_day_tables(item.table_name, today + step * distance);
        made := svc.make_partition(item, today + step * distance);
        if made is not null then
          return next made;
          days_made := days_made + 1;
        end if;
      end loop;
    end loop;
    exit when days_made >= 64;
  end loop;
end
$$;

-- Replaces partitions of the other kind that hold no row and are not over, of one table: whole months after a change to days,
-- months of days after a change to months. Returns the names of what it dropped; `ensure_partitions` makes the others. Gives up
-- after a quarter of a second, because statements on the table wait behind it: call it again, until it returns nothing.
create function svc.drop_replaced_partitions() returns setof text
language plpgsql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '250ms' as $$
declare
  item svc.partitioned_tables;
  today date := (now() at time zone 'UTC')::date;
  child text;
  children text[];
  is_used boolean;
  is_dropped boolean := false;
begin
  -- A snapshot from before the lock would not show rows that came meanwhile.
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'partitions are replaced in a transaction that is read committed' using errcode = 'invalid_transaction_state';
  end if;
  perform pg_advisory_xact_lock(hashtextextended('svc.partitions', 0));
  for item in select * from svc.partitioned_tables order by table_name loop
    -- Each month, with its table or those of its days.
    for children in
      select array_agg(relname::text order by relname)
      from pg_inherits join pg_class on pg_class.oid = inhrelid
      cross join lateral (select substring(relname from '_(\d{4}_\d{2})(?:_\d{2})?$') collate "C" as month) of
      where inhparent = format('svc.%I', item.table_name)::regclass and month >= to_char(today, 'YYYY_MM') collate "C"
        and relname ~ case item.partition_by when 'day' then '_\d{4}_\d{2}$' else '_\d{4}_\d{2}_\d{2}$' end
      group by month order by month
    loop
      -- Looked at before the lock, so that a table in use is not locked every hour.
      is_used := false;
      foreach child in array children loop
        execute format('select %L or exists (select from svc.%I)', is_used, child) into is_used;
      end loop;
      continue when is_used;
      execute format('lock table only svc.%I in access exclusive mode', item.table_name);
      foreach child in array children loop
        execute format('lock table svc.%I in access exclusive mode', child);
        execute format('select %L or exists (select from svc.%I)', is_used, child) into is_used;
      end loop;
      continue when is_used;
      foreach child in array children loop
        execute format('alter table svc.%I detach partition svc.%I', item.table_name, child);
        execute format('drop table svc.%I', child);
        return next child;
        is_dropped := true;
      end loop;
    end loop;
    if is_dropped then
      update svc.partitioned_tables listed set (first_day, end_day) = (
        select min(to_date(day, 'YYYY_MM_DD')), max(to_date(day, 'YYYY_MM_DD')) + 1
        from pg_inherits join pg_class on pg_class.oid = inhrelid
        cross join lateral (select substring(relname from '_(\d{4}_\d{2}_\d{2})$') as day) of
        where inhparent = format('svc.%I', item.table_name)::regclass
      ) where listed.table_name = item.table_name;
      return;
    end if;
  end loop;
end
$$;

-- When the oldest row that is surely kept can have been written. Null: rows are kept for ever.
create function svc.first_kept(item svc.partitioned_tables) returns timestamptz
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  day date := (now() at time zone 'UTC' - make_interval(months => item.months_kept))::date;
  first_day date;
begin
  select part.first_day into first_day from svc.partition_of_day(item, day) part where day is not null;
  return first_day::timestamp at time zone 'UTC';
end
$$;

-- As before, with days.
create or replace function svc.first_kept_entry() returns text
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select svc.id_bound(id_prefix, svc.first_kept(item)) from svc.partitioned_tables item where table_name = 'ledger_entry_rows'
$$;

-- As before, with days: a day leaves when it began more than `months_kept` months before today.
create or replace function svc.list_expired_partitions()
returns table (table_name text, partition_name text, number integer)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select item.table_name, child.relname::text, null::integer
  from svc.partitioned_tables item
  join pg_inherits on inhparent = format('svc.%I', item.table_name)::regclass
  join pg_class child on child.oid = inhrelid
  cross join lateral (
    select now() at time zone 'UTC' - make_interval(months => item.months_kept) as first_kept
  ) cut
  where item.months_kept is not null and (
    child.relname ~ '_\d{4}_\d{2}$'
      and child.relname < (item.table_name || to_char(cut.first_kept, '_YYYY_MM')) collate "C"
    or child.relname ~ '_\d{4}_\d{2}_\d{2}$'
      and child.relname < (item.table_name || to_char(cut.first_kept, '_YYYY_MM_DD')) collate "C"
  )
  union all
  select retired.table_name, retired.partition_name, retired.number
  from svc.retired_partitions retired where retired.dropped_at is null
  order by 2
$$;

-- As before, with days: `days_ahead` is how many days after today have a partition, one after the other, up to 92. The release
-- before reads `months_ahead`; it gets a month for seven days of a table of days.
drop function svc.report_partitions();
create function svc.report_partitions()
returns table (table_name text, months_ahead integer, days_ahead integer, has_stray_rows boolean, expired integer)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  item svc.partitioned_tables;
  part record;
  today date := (now() at time zone 'UTC')::date;
  next_day date;
begin
  for item in select * from svc.partitioned_tables listed order by listed.table_name loop
    table_name := item.table_name;
    next_day := today + 1;
    months_ahead := 0;
    while next_day <= today + 92 loop
      select * into strict part from svc.partition_of_day(item, next_day);
      exit when to_regclass(format('svc.%I', part.partition_name)) is null;
      next_day := part.end_day;
      if part.end_day > part.first_day + 1 and part.first_day > today then
        months_ahead := months_ahead + 1;
      end if;
    end loop;
    days_ahead := least(next_day - today - 1, 92);
    if item.partition_by = 'day' or svc.has_day_tables(item.table_name, today) then
      months_ahead := greatest(months_ahead, days_ahead / 7);
    end if;
    execute format(
      'select exists (select from svc.%I where %I >= %L)', item.table_name || '_default',
      svc.partition_key(item.table_name), svc.id_bound(item.id_prefix, coalesce(svc.first_kept(item), 'epoch'))
    ) into has_stray_rows;
    select count(*)::integer into expired from svc.list_expired_partitions() listed
      where listed.table_name = item.table_name;
    return next;
  end loop;
end
$$;
grant execute on function svc.report_partitions() to svc_settlement;

-- As before, with days: when the oldest row in a default partition that is to be moved was written, as the first moment of its
-- month or day.
create or replace function svc.oldest_stray_month() returns timestamptz
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  digits constant text := '0123456789abcdefghjkmnpqrstvwxyz';
  item svc.partitioned_tables;
  part record;
  key_column name;
  bound text;
  key text;
  milliseconds bigint;
  oldest date;
begin
  for item in select * from svc.partitioned_tables loop
    key_column := svc.partition_key(item.table_name);
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
      select * into strict part
        from svc.partition_of_day(item, (to_timestamp(milliseconds / 1000.0) at time zone 'UTC')::date);
      if not exists (
        select from svc.retired_partitions retired
        -- Or the month of the day, or a day of the month, after a change of the kind.
        where (retired.partition_name in (part.partition_name, item.table_name || to_char(part.first_day, '_YYYY_MM'))
            or starts_with(retired.partition_name, part.partition_name || '_'))
          and coalesce(retired.dropped_at, 'infinity') > now() - interval '1 month'
      ) then
        oldest := least(oldest, part.first_day);
        exit;
      end if;
      bound := svc.id_bound(item.id_prefix, part.end_day::timestamp at time zone 'UTC');
    end loop;
  end loop;
  return oldest::timestamp at time zone 'UTC';
end
$$;

-- Since and until when a table has partitions of days that are kept. Lists walk partition by partition.
create function svc.partitioned_days(parent text, out first_day date, out end_day date)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select greatest(item.first_day, (svc.first_kept(item) at time zone 'UTC')::date), item.end_day
  from svc.partitioned_tables item where item.table_name = parent and item.first_day is not null
$$;

grant execute on function svc.drop_replaced_partitions() to svc_settlement;
grant execute on function svc.partitioned_days(text) to svc_api;
