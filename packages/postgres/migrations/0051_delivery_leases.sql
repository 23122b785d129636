-- A lease on a delivery is `lease_until` alone: `next_at` stays, so that no index contains what a claim changes. Due is what has
-- its `next_at` behind it and no lease that runs.

-- The release before takes `next_at` for the end of the lease. While one of its processes works, leases move `next_at` too.
alter table svc.delivery_shards
  -- The epoch of the last take-over by a process that reads leases. Another epoch is one of the release before.
  add column lease_epoch bigint not null default 0,
  -- When such a process took the shard over from one of the release before.
  add column older_seen_at timestamptz;

-- How full pages of a table's months are filled by inserts; null: entirely.
alter table svc.partitioned_tables add column fill_percent integer check (fill_percent between 10 and 100);
-- The rest of the page takes the version that the claim of each delivery writes: in another page it would have index entries.
update svc.partitioned_tables set fill_percent = 50 where table_name = 'deliveries';
do $$
declare
  month_table text;
begin
  for month_table in
    select relname from pg_inherits join pg_class on pg_class.oid = inhrelid where inhparent = 'svc.deliveries'::regclass
  loop
    execute format('alter table svc.%I set (fillfactor = 50)', month_table);
  end loop;
end
$$;

-- As before, with `fill_percent`.
create or replace function svc.ensure_partitions(months_back integer, months_ahead integer, at timestamptz default now())
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
      if item.fill_percent is not null then
        execute format('alter table svc.%I set (fillfactor = %s)', partition_name, item.fill_percent);
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

-- As before, with leases.
create or replace function svc.report_backlog() returns table (stage text, network text, waiting integer, oldest timestamptz)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select kind.stage, each.network, kind.waiting, kind.oldest
  from (select network from svc.network_health union select network from svc.relayers) each
  cross join lateral (
    -- Payments and refunds that wait for their next try say nothing about the lanes.
    select 'queued' as stage, count(*)::integer as waiting, min(updated_at) as oldest from (
      select updated_at from svc.settlements s
      where s.network = each.network and s.status = 'queued' and s.solo_payer is null and s.retry_at is null
      order by s.number limit 10000
    ) common
    union all
    select 'queued_solo', count(*)::integer, min(updated_at) from (
      select updated_at from svc.settlements s
      where s.network = each.network and s.status = 'queued' and s.solo_payer is not null and s.retry_at is null limit 10000
    ) solo
    union all
    select 'queued_refund', count(*)::integer, min(updated_at) from (
      select updated_at from svc.refunds r
      where r.network = each.network and r.status = 'queued' and r.signature is not null and r.retry_at is null limit 10000
    ) refunds
    union all
    select 'pending', count(*)::integer, min(created_at) from (
      select created_at from svc.batches b where b.network = each.network and b.status in ('signed', 'broadcast') limit 10000
    ) pending
    union all
    select 'held', count(*)::integer, min(updated_at) from (
      select updated_at from svc.settlements s where s.network = each.network and s.status = 'held'
      order by s.number limit 10000
    ) held
  ) kind
  union all
  select case when failing then 'delivery_failing' else 'delivery' end, null, count(due.next_at)::integer, min(due.next_at)
  from (values (false), (true)) of (failing)
  left join (
    select head.next_at, endpoint.failing_since is not null as is_failing
    from (
      select account_id, mode, endpoint_id, next_at from svc.deliveries
      where status = 'pending' and next_at <= now() and (lease_until is null or lease_until <= now())
      order by next_at limit 10000
    ) head
    join svc.endpoints endpoint
      on endpoint.account_id = head.account_id and endpoint.mode = head.mode and endpoint.id = head.endpoint_id
  ) due on due.is_failing = of.failing
  group by failing
  union all
  select 'expiry', null, count(*)::integer, min(expires_at) from (
    select expires_at from svc.intents where status = 'requires_payment' and expires_at <= now()
    order by expires_at limit 10000
  ) overdue
$$;
