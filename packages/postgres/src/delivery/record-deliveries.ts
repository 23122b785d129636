// Records the reports of many attempts: the delivery, its attempt, and the health of its endpoint, as core decides. A
// report with an old fence changes nothing. Successes are recorded by one statement without a lock: core needs no facts
// for them. All else is decided from the endpoint's row under its lock, in one transaction.
//
// Two processes may report for one endpoint at once. Failures wait for each other at the lock, and the later one is
// decided by what the earlier one wrote. A success clears `failing_since` in the row itself, whatever the sender knew of
// it, so a failure that is decided afterwards begins a new count. Two transactions that each clear an endpoint which the
// other has locked end in a deadlock: the database cancels one, and its sender records it again.
import {
  type DecidedReports,
  type DeliveryDecision,
  type DeliveryReport,
  decideReports,
  ENDPOINT_STATUS,
  type EndpointHealthDecision,
  isoTime,
  isUncharged,
  type Mode,
  needsEndpointFacts,
  type RecordedDeliveries,
  type SwitchedOff,
} from '@svc-pay/core';
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';
import { insertText, sameNames } from '../database/insert-text.ts';
import { withoutIndex } from '../database/planner.ts';
import { columnArrays } from '../database/statement-parameters.ts';
import { sqlIs } from '../database/status-sql.ts';
import {
  type EndpointHealthWrite,
  type LeasedReport,
  loadEndpointFacts,
  writeEndpointHealth,
} from './endpoint-facts.ts';
import { nextAtOf } from './next-at.ts';

const IS_ENABLED = sqlIs(ENDPOINT_STATUS.enabled);

type DecidedReport = DeliveryReport & {
  readonly decision: DeliveryDecision;
  /** After this success no failure of the endpoint counts. */
  readonly heals: boolean;
  readonly nowMs: number;
};

const REPORTS = columnArrays<DecidedReport>({
  account_id: ['text', ({ delivery }) => delivery.accountId],
  mode: ['text', ({ delivery }) => delivery.mode],
  event_id: ['text', ({ delivery }) => delivery.eventId],
  endpoint_id: ['text', ({ delivery }) => delivery.endpointId],
  fence: ['bigint', ({ delivery }) => delivery.fence],
  status: ['text', ({ decision }) => decision.status],
  next_at: ['timestamptz', ({ decision }) => nextAtOf(decision)],
  reason: ['text', ({ decision }) => decision.reason],
  finished_at: ['timestamptz', ({ decision, nowMs }) => (decision.status === 'pending' ? null : isoTime(nowMs))],
  uncharged: ['integer', ({ verdict }) => (isUncharged(verdict) ? 1 : 0)],
  heals: ['boolean', ({ heals }) => heals],
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
});

const RECORD = {
  name: 'record-deliveries',
  text: `
    with report as materialized (select * from ${REPORTS.unnest('report')}),
    recorded as (
      update svc.deliveries d
      set status = report.status, reason = report.reason, lease_until = null, next_at = report.next_at,
        finished_at = report.finished_at, uncharged_count = d.uncharged_count + report.uncharged
      from report
      where d.account_id = report.account_id and d.mode = report.mode and d.event_id = report.event_id
        and d.endpoint_id = report.endpoint_id and d.fence = report.fence and d.lease_until is not null
      -- Returns the columns of the report: a sender that lost a lease and claimed the row again may report both.
      returning d.attempt_count, report.*
    ),
    healed as (
      update svc.endpoints e set failing_since = null
      from (select distinct account_id, mode, endpoint_id from recorded where heals) healthy
      where e.account_id = healthy.account_id and e.mode = healthy.mode and e.id = healthy.endpoint_id
        and ${withoutIndex('e.status')} ${IS_ENABLED} and e.failing_since is not null
    )
    ${insertText(
      'svc.delivery_attempts',
      {
        ...sameNames('account_id', 'mode', 'event_id', 'endpoint_id', 'outcome', 'response_status', 'address'),
        ...sameNames('dns_ms', 'connect_ms', 'tls_ms', 'first_byte_ms', 'total_ms', 'request_headers'),
        ...sameNames('response_headers', 'response_excerpt', 'error', 'started_at'),
        attempt: 'attempt_count',
        next_at: `nullif(next_at, 'infinity')`,
      },
      'from recorded',
    )}`,
};

export async function recordDeliveries(
  pool: pg.Pool,
  reports: readonly DeliveryReport[],
  nowMs: number,
): Promise<RecordedDeliveries> {
  if (reports.length === 0) return { count: 0, givenUp: [], switchedOff: [] };
  const byEndpoint = [...Map.groupBy(reports, endpointOf).values()];
  const successes = byEndpoint
    .filter((own) => !needsEndpointFacts(own))
    .map((own) => ({ reports: own, ...decideReports(undefined, own, nowMs) }));
  const others = byEndpoint.filter(needsEndpointFacts).flat();
  if (others.length === 0) return { count: await record(pool, successes, nowMs), givenUp: [], switchedOff: [] };
  return inTransaction(pool, async (client) => {
    const decided = decideEach(await loadEndpointFacts(client, others), nowMs);
    await writeEndpointHealth(
      client,
      decided.flatMap(({ reports: own, health }) => healthWrite(own, health, nowMs)),
    );
    const count = await record(client, [...successes, ...decided], nowMs);
    return {
      count,
      givenUp: decided.flatMap(givenUp),
      switchedOff: decided.flatMap(({ reports: own, health }) => switchedOff(own, health)),
    };
  });
}

type DecidedEndpoint = DecidedReports & { readonly reports: readonly DeliveryReport[] };

const endpointOf = ({ delivery }: DeliveryReport) => `${delivery.accountId} ${delivery.mode} ${delivery.endpointId}`;

function decideEach(loaded: readonly LeasedReport[], nowMs: number): readonly DecidedEndpoint[] {
  return [...Map.groupBy(loaded, ({ report }) => endpointOf(report)).values()].map((own) => {
    const reports = own.map(({ report }) => report);
    return { reports, ...decideReports(own[0]?.endpoint, reports, nowMs) };
  });
}

async function record(
  connection: pg.Pool | pg.ClientBase,
  decided: readonly DecidedEndpoint[],
  nowMs: number,
): Promise<number> {
  const rows = decided.flatMap(({ reports, health, deliveries }) =>
    reports.flatMap((report, index): DecidedReport[] => {
      const decision = deliveries[index];
      if (decision === undefined) return [];
      return [{ ...report, decision, heals: health.next === 'healthy' && decision.status === 'succeeded', nowMs }];
    }),
  );
  if (rows.length === 0) return 0;
  const { rowCount } = await connection.query({ ...RECORD, values: REPORTS.values(rows) });
  return rowCount ?? 0;
}

function healthWrite(
  [first]: readonly DeliveryReport[],
  health: EndpointHealthDecision,
  nowMs: number,
): readonly EndpointHealthWrite[] {
  if (first === undefined || !('sinceMs' in health)) return [];
  const { accountId, mode, endpointId } = first.delivery;
  return [{ accountId, mode, endpointId, health, nowMs }];
}

function givenUp({ reports, deliveries }: DecidedEndpoint): readonly Mode[] {
  return reports.flatMap(({ delivery }, index) => (deliveries[index]?.status === 'failed' ? [delivery.mode] : []));
}

function switchedOff([first]: readonly DeliveryReport[], health: EndpointHealthDecision): readonly SwitchedOff[] {
  if (first === undefined || health.next !== 'off') return [];
  const { accountId, endpointId } = first.delivery;
  return [{ accountId, endpointId, reason: health.reason }];
}
