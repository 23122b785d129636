// How attempts went, many in one statement: what becomes of each delivery, its line in the log, and the health of its
// endpoint. A report whose fence is old changes nothing at all.
import { type DeliveryReport, ENDPOINT_OFF_AFTER_MS, isoTime, type RecordedDeliveries } from '@svc-pay/core';
import type pg from 'pg';
import { inTransaction } from '../stores/in-transaction.ts';

const RECORD = {
  name: 'record-deliveries',
  text: `
    with report as materialized (
      select * from unnest(
        $1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::timestamptz[], $8::text[],
        $9::integer[], $10::text[], $11::integer[], $12::text[], $13::integer[], $14::integer[], $15::integer[],
        $16::integer[], $17::integer[], $18::jsonb[], $19::jsonb[], $20::bytea[], $21::text[], $22::timestamptz[]
      ) as report (
        account_id, mode, event_id, endpoint_id, fence, status, next_at, reason, uncharged, outcome, response_status,
        address, dns_ms, connect_ms, tls_ms, first_byte_ms, total_ms, request_headers, response_headers, response_excerpt,
        error, started_at
      )
    ),
    recorded as (
      update svc.deliveries d
      set status = report.status, reason = report.reason, lease_until = null,
        next_at = case when report.status <> 'pending' then null
          -- Of a deleted endpoint it comes due once more, and is discarded then.
          when exists (
            select from svc.endpoints e
            where e.account_id = report.account_id and e.mode = report.mode and e.id = report.endpoint_id
              and e.status = 'disabled'
          ) then 'infinity' else report.next_at end,
        finished_at = case when report.status <> 'pending' then $23::timestamptz end,
        uncharged_count = d.uncharged_count + report.uncharged
      from report
      where d.account_id = report.account_id and d.mode = report.mode and d.event_id = report.event_id
        and d.endpoint_id = report.endpoint_id and d.fence = report.fence and d.lease_until is not null
      -- The report itself, not found again by its key: who lost a lease and claimed the row again may report both at once.
      returning d.attempt_count, d.next_at as due_again_at, report.*
    )
    insert into svc.delivery_attempts (
      account_id, mode, event_id, endpoint_id, attempt, outcome, response_status, address, dns_ms, connect_ms, tls_ms,
      first_byte_ms, total_ms, request_headers, response_headers, response_excerpt, error, started_at, next_at
    )
    select account_id, mode, event_id, endpoint_id, attempt_count, outcome, response_status, address, dns_ms, connect_ms,
      tls_ms, first_byte_ms, total_ms, request_headers, response_headers, response_excerpt, error, started_at,
      nullif(due_again_at, 'infinity')
    from recorded`,
};

// Who switches an endpoint on waits for this lock, and then sees what was parked under it.
const LOCK = `
  select from svc.endpoints endpoint
  join unnest($1::text[], $2::text[], $3::text[]) as given (account_id, mode, id)
    on endpoint.account_id = given.account_id and endpoint.mode = given.mode and endpoint.id = given.id
  order by endpoint.account_id, endpoint.mode, endpoint.id for no key update of endpoint`;
const OFF = `(given.change = 'gone' or (given.change = 'failing' and endpoint.failing_since <= $6))`;
const HEALTH = `
  update svc.endpoints endpoint
  set failing_since = case when given.change = 'succeeded' then null else coalesce(endpoint.failing_since, $5) end,
    status = case when ${OFF} then 'disabled' else endpoint.status end,
    disabled_reason = case when ${OFF} then given.change else endpoint.disabled_reason end,
    updated_at = case when ${OFF} then $5 else endpoint.updated_at end
  from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as given (account_id, mode, id, change)
  where endpoint.account_id = given.account_id and endpoint.mode = given.mode and endpoint.id = given.id
    and endpoint.status = 'enabled' and (given.change <> 'failed' or endpoint.failing_since is null)
  returning endpoint.account_id, endpoint.mode, endpoint.id, endpoint.status, endpoint.disabled_reason`;

/** For a delivery whose endpoint was to be switched off and turned out to be well. */
const SOON_MS = 60_000;

export async function recordDeliveries(
  pool: pg.Pool,
  reports: readonly DeliveryReport[],
  nowMs: number,
): Promise<RecordedDeliveries> {
  if (reports.length === 0) return { count: 0, switchedOff: [] };
  const values = valuesOf(reports, nowMs);
  const changes = healthChanges(reports);
  if (changes.length === 0) {
    const { rowCount } = await pool.query({ ...RECORD, values });
    return { count: rowCount ?? 0, switchedOff: [] };
  }
  return inTransaction(pool, async (client) => {
    const keys = [
      changes.map(({ accountId }) => accountId),
      changes.map(({ mode }) => mode),
      changes.map(({ endpointId }) => endpointId),
    ];
    await client.query(LOCK, keys);
    const { rows } = await client.query<{ account_id: string; id: string; status: string; disabled_reason: string }>(
      HEALTH,
      [...keys, changes.map(({ change }) => change), isoTime(nowMs), isoTime(nowMs - ENDPOINT_OFF_AFTER_MS)],
    );
    const { rowCount } = await client.query({ ...RECORD, values });
    return {
      count: rowCount ?? 0,
      switchedOff: rows
        .filter(({ status }) => status === 'disabled')
        .map(({ account_id, id, disabled_reason }) => ({
          accountId: account_id,
          endpointId: id,
          reason: disabled_reason,
        })),
    };
  });
}

type Change = 'succeeded' | 'failed' | 'gone' | 'failing';
type HealthChange = Pick<DeliveryReport['delivery'], 'accountId' | 'mode' | 'endpointId'> & { readonly change: Change };

/** One per endpoint at most: a success outweighs failures beside it, and whoever is gone is gone. */
function healthChanges(reports: readonly DeliveryReport[]): readonly HealthChange[] {
  const changes = new Map<string, HealthChange>();
  for (const report of reports) {
    const change = changeOf(report);
    if (change === undefined) continue;
    const { accountId, mode, endpointId } = report.delivery;
    const key = `${accountId} ${mode} ${endpointId}`;
    const known = changes.get(key)?.change;
    if (known === undefined || WEIGHT[change] > WEIGHT[known]) {
      changes.set(key, { accountId, mode, endpointId, change });
    }
  }
  const succeeded = new Set(
    reports
      .filter(({ verdict }) => verdict.next === 'succeeded')
      .map(({ delivery: { accountId, mode, endpointId } }) => `${accountId} ${mode} ${endpointId}`),
  );
  return [...changes]
    .filter(([key, { change }]) => change === 'succeeded' || change === 'gone' || !succeeded.has(key))
    .map(([, change]) => change);
}

const WEIGHT: Readonly<Record<Change, number>> = { failed: 0, failing: 1, succeeded: 2, gone: 3 };

function changeOf({ delivery, verdict }: DeliveryReport): Change | undefined {
  const { failingSinceMs } = delivery.endpoint;
  if (verdict.next === 'succeeded') return failingSinceMs === null ? undefined : 'succeeded';
  if (verdict.next === 'parked') return verdict.reason;
  // Locks the endpoint also when its health is known: what becomes of the row depends on whether it is on.
  return verdict.next === 'again' && !verdict.charged ? undefined : 'failed';
}

function valuesOf(reports: readonly DeliveryReport[], nowMs: number): unknown[] {
  const column = <Value>(of: (report: DeliveryReport) => Value) => reports.map(of);
  return [
    column(({ delivery }) => delivery.accountId),
    column(({ delivery }) => delivery.mode),
    column(({ delivery }) => delivery.eventId),
    column(({ delivery }) => delivery.endpointId),
    column(({ delivery }) => delivery.fence),
    column(({ verdict }) => (verdict.next === 'succeeded' || verdict.next === 'failed' ? verdict.next : 'pending')),
    column(({ verdict }) => {
      if (verdict.next === 'again') return isoTime(verdict.atMs);
      return verdict.next === 'parked' ? isoTime(nowMs + SOON_MS) : null;
    }),
    column(({ verdict }) => (verdict.next === 'failed' ? verdict.reason : null)),
    column(({ verdict }) => (verdict.next === 'again' && !verdict.charged ? 1 : 0)),
    column(({ record }) => record.outcome),
    column(({ record }) => record.responseStatus),
    column(({ record }) => record.address),
    column(({ record }) => record.dnsMs),
    column(({ record }) => record.connectMs),
    column(({ record }) => record.tlsMs),
    column(({ record }) => record.firstByteMs),
    column(({ record }) => record.totalMs),
    column(({ record }) => JSON.stringify(record.requestHeaders)),
    column(({ record }) => JSON.stringify(record.responseHeaders)),
    column(({ record }) => record.responseExcerpt),
    column(({ record }) => record.error),
    column(({ record }) => isoTime(record.startedAtMs)),
    isoTime(nowMs),
  ];
}
