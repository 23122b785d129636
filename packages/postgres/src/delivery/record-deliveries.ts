// Records the reports of many attempts in one statement: the delivery, its attempt, and the health of its endpoint. A
// report with an old fence changes no delivery.
import { type DeliveryReport, ENDPOINT_OFF_AFTER_MS, isoTime, type RecordedDeliveries } from '@svc-pay/core';
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';
import { insertText, sameNames } from '../database/insert-text.ts';
import { columnArrays, namedParameters } from '../database/statement-parameters.ts';

type TimedReport = DeliveryReport & { readonly nowMs: number };

const GIVEN = namedParameters({ now: 'timestamptz' });
const REPORTS = columnArrays<TimedReport>(
  {
    account_id: ['text', ({ delivery }) => delivery.accountId],
    mode: ['text', ({ delivery }) => delivery.mode],
    event_id: ['text', ({ delivery }) => delivery.eventId],
    endpoint_id: ['text', ({ delivery }) => delivery.endpointId],
    fence: ['bigint', ({ delivery }) => delivery.fence],
    status: ['text', ({ verdict: { next } }) => (next === 'succeeded' || next === 'failed' ? next : 'pending')],
    next_at: ['timestamptz', nextAttemptAt],
    reason: ['text', ({ verdict }) => (verdict.next === 'failed' ? verdict.reason : null)],
    uncharged: ['integer', ({ verdict }) => (verdict.next === 'again' && !verdict.charged ? 1 : 0)],
    outcome: ['text', ({ record }) => record.outcome],
    response_status: ['integer', ({ record }) => record.responseStatus],
    address: ['text', ({ record }) => record.address],
    dns_ms: ['integer', ({ record }) => record.dnsMs],
    connect_ms: ['integer', ({ record }) => record.connectMs],
    tls_ms: ['integer', ({ record }) => record.tlsMs],
    first_byte_ms: ['integer', ({ record }) => record.firstByteMs],
    total_ms: ['integer', ({ record }) => record.totalMs],
    request_headers: ['jsonb', ({ record }) => JSON.stringify(record.requestHeaders)],
    response_headers: ['jsonb', ({ record }) => JSON.stringify(record.responseHeaders)],
    response_excerpt: ['bytea', ({ record }) => record.responseExcerpt],
    error: ['text', ({ record }) => record.error],
    started_at: ['timestamptz', ({ record }) => isoTime(record.startedAtMs)],
  },
  GIVEN.next,
);

const RECORD = {
  name: 'record-deliveries',
  text: `
    with report as materialized (select * from ${REPORTS.unnest('report')}),
    recorded as (
      update svc.deliveries d
      set status = report.status, reason = report.reason, lease_until = null,
        next_at = case when report.status <> 'pending' then null
          -- A delivery of a deleted endpoint becomes due once more and is discarded then.
          when exists (
            select from svc.endpoints e
            where e.account_id = report.account_id and e.mode = report.mode and e.id = report.endpoint_id
              and e.status = 'disabled'
          ) then 'infinity' else report.next_at end,
        finished_at = case when report.status <> 'pending' then ${GIVEN.at.now} end,
        uncharged_count = d.uncharged_count + report.uncharged
      from report
      where d.account_id = report.account_id and d.mode = report.mode and d.event_id = report.event_id
        and d.endpoint_id = report.endpoint_id and d.fence = report.fence and d.lease_until is not null
      -- Returns the columns of the report: a sender that lost a lease and claimed the row again may report both.
      returning d.attempt_count, d.next_at as due_again_at, report.*
    )
    ${insertText(
      'svc.delivery_attempts',
      {
        ...sameNames('account_id', 'mode', 'event_id', 'endpoint_id', 'outcome', 'response_status', 'address'),
        ...sameNames('dns_ms', 'connect_ms', 'tls_ms', 'first_byte_ms', 'total_ms', 'request_headers'),
        ...sameNames('response_headers', 'response_excerpt', 'error', 'started_at'),
        attempt: 'attempt_count',
        next_at: `nullif(due_again_at, 'infinity')`,
      },
      'from recorded',
    )}`,
};

// A process that enables an endpoint waits for this lock, and then sees the deliveries that were parked under it.
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

/** Delay of a delivery that was parked although its endpoint stays enabled. */
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

/** At most one change per endpoint: a success outweighs failures, and `gone` outweighs all. */
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
  // `failed` locks the endpoint also if it is known to be failing:
  // the delivery's next time depends on whether it is enabled.
  return verdict.next === 'again' && !verdict.charged ? undefined : 'failed';
}

function nextAttemptAt({ verdict, nowMs }: TimedReport): string | null {
  if (verdict.next === 'again') return isoTime(verdict.atMs);
  return verdict.next === 'parked' ? isoTime(nowMs + SOON_MS) : null;
}

function valuesOf(reports: readonly DeliveryReport[], nowMs: number): unknown[] {
  return [...GIVEN.values({ now: isoTime(nowMs) }), ...REPORTS.values(reports.map((report) => ({ ...report, nowMs })))];
}
