-- What the operator's page shows and no other table holds.

-- Each RPC endpoint as settlement last asked it.
create table svc.node_readings (
  network text collate "C" not null,
  -- Its place in `rpcUrls`, counted from 1: a URL may contain a provider's key.
  endpoint integer not null check (endpoint > 0),
  -- False: no usable answer. The columns of the chain then keep the last one.
  answered boolean not null,
  -- It serves another chain, and is not used.
  other_chain boolean not null,
  took_ms integer not null check (took_ms >= 0),
  -- Latest block, or slot, and the latest that the node calls final. A slot has no time here.
  head bigint check (head >= 0),
  head_time timestamptz,
  final_head bigint check (final_head >= 0),
  final_time timestamptz,
  answered_at timestamptz,
  read_at timestamptz not null,
  primary key (network, endpoint)
);
grant select, insert, update, delete on svc.node_readings to svc_settlement;

-- Runs of `ledger check`. A run that was broken off has no end.
create table svc.ledger_checks (
  id bigint generated always as identity primary key,
  started_at timestamptz not null,
  -- Networks whose chains it compares with.
  networks text[] not null,
  -- The books as they were at this moment were checked.
  books_at timestamptz,
  ended_at timestamptz,
  -- Networks with payments that were compared with no chain.
  uncompared text[],
  looked bigint check (looked >= 0),
  differing bigint check (differing >= 0),
  -- Why it proved nothing.
  obstacle text,
  check (
    ended_at is null and looked is null and differing is null and obstacle is null
    or ended_at is not null and (obstacle is null) = (differing is not null)
  )
);

-- Since when `svc.gas_paid` has all that the relayer paid. Settlement of before kept one day of it.
alter table svc.relayers add column gas_counted_from timestamptz not null default now() - interval '1 day';
alter table svc.relayers alter column gas_counted_from set default now();

-- What waits, by stage: counts and ages alone, for whoever may not read the rows. At most 10,000 of each are counted.
create function svc.report_backlog() returns table (stage text, network text, waiting integer, oldest timestamptz)
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
      where status = 'pending' and next_at <= now() order by next_at limit 10000
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
revoke execute on function svc.report_backlog() from public;
grant execute on function svc.report_backlog() to svc_admin;

grant select on svc.node_readings, svc.ledger_checks, svc.gas_paid, svc.network_health to svc_admin;
grant select (network, ledger, next_index, read_at, stopped_at) on svc.icrc_cursors to svc_admin;
grant select (
  network, address, mode, duty, status, awake, heartbeat_at, condition, balance, capped, checked_at, obstacle, obstacle_since,
  gas_counted_from
) on svc.relayers to svc_admin;
grant select (network, relayer, status, created_at) on svc.batches to svc_admin;
