// Facts of the endpoints that reports are about, loaded under the locks of their rows, and the health that core decides
// from them.
import {
  type DeliveryReport,
  ENDPOINT_STATUS,
  type EndpointFacts,
  type EndpointHealthDecision,
  type EndpointKey,
  isoTime,
} from '@svc-pay/core';
import type pg from 'pg';
import { ONE_BY_KEY } from '../database/planner.ts';
import { columnArrays } from '../database/statement-parameters.ts';
import { sqlIs } from '../database/status-sql.ts';

const IS_ENABLED = sqlIs(ENDPOINT_STATUS.enabled);

const REPORTS = columnArrays<DeliveryReport>({
  account_id: ['text', ({ delivery }) => delivery.accountId],
  mode: ['text', ({ delivery }) => delivery.mode],
  event_id: ['text', ({ delivery }) => delivery.eventId],
  endpoint_id: ['text', ({ delivery }) => delivery.endpointId],
  fence: ['bigint', ({ delivery }) => delivery.fence],
});
// Locked in the order of keys. A process that enables an endpoint waits for the lock, and then sees the deliveries that
// were parked under it. In a statement of its own: docs/internals/planner-rules.md, rule 14.
const HOLD = {
  name: 'hold-endpoints',
  text: `
    select from svc.endpoints e
    join (select distinct account_id, mode, endpoint_id from ${REPORTS.unnest('report')}) given
      on e.account_id = given.account_id and e.mode = given.mode and e.id = given.endpoint_id
    order by e.account_id, e.mode, e.id for no key update of e`,
};
// Each delivery is looked up by a scalar query: docs/internals/planner-rules.md, rule 6.
const LOAD = {
  name: 'load-endpoint-facts',
  text: `
    select endpoint.status, endpoint.failing_since, endpoint.updated_at, coalesce((
      select d.fence = report.fence and d.lease_until is not null from svc.deliveries d
      where d.account_id = report.account_id and d.mode = report.mode and d.event_id = report.event_id
        and d.endpoint_id = report.endpoint_id limit 1
    ), false) as is_leased
    from ${REPORTS.unnestWithPlace('report')}
    left join lateral (
      select status, failing_since, updated_at from svc.endpoints e
      where e.account_id = report.account_id and e.mode = report.mode and e.id = report.endpoint_id
      ${ONE_BY_KEY}
    ) endpoint on true
    order by report.place`,
};

type Row = { readonly is_leased: boolean } & (
  | { readonly status: EndpointFacts['status']; readonly failing_since: Date | null; readonly updated_at: Date }
  | { readonly status: null }
);

export type LeasedReport = {
  readonly report: DeliveryReport;
  /** Undefined for an endpoint that does not exist. */
  readonly endpoint: EndpointFacts | undefined;
};

/** Only reports whose lease still holds are returned. The endpoints are locked until the transaction ends. */
export async function loadEndpointFacts(
  client: pg.ClientBase,
  reports: readonly DeliveryReport[],
): Promise<readonly LeasedReport[]> {
  const values = REPORTS.values(reports);
  await client.query({ ...HOLD, values });
  const { rows } = await client.query<Row>({ ...LOAD, values });
  return reports.flatMap((report, index) => {
    const row = rows[index];
    return row?.is_leased === true ? [{ report, endpoint: factsOf(row) }] : [];
  });
}

function factsOf(row: Row): EndpointFacts | undefined {
  if (row.status === null) return undefined;
  const { status, failing_since, updated_at } = row;
  return { status, failingSinceMs: failing_since?.getTime() ?? null, changedAtMs: updated_at.getTime() };
}

type WrittenHealth = Extract<EndpointHealthDecision, { readonly sinceMs: number }>;
export type EndpointHealthWrite = EndpointKey & { readonly health: WrittenHealth; readonly nowMs: number };

const HEALTH = columnArrays<EndpointHealthWrite>({
  account_id: ['text', ({ accountId }) => accountId],
  mode: ['text', ({ mode }) => mode],
  id: ['text', ({ endpointId }) => endpointId],
  failing_since: ['timestamptz', ({ health }) => isoTime(health.sinceMs)],
  status: ['text', ({ health }) => (health.next === 'off' ? 'disabled' : 'enabled')],
  disabled_reason: ['text', ({ health }) => (health.next === 'off' ? health.reason : null)],
  changed_at: ['timestamptz', ({ health, nowMs }) => (health.next === 'off' ? isoTime(nowMs) : null)],
});
const WRITE = `
  update svc.endpoints e
  set failing_since = given.failing_since, status = given.status, disabled_reason = given.disabled_reason,
    updated_at = coalesce(given.changed_at, e.updated_at)
  from ${HEALTH.unnest('given')}
  where e.account_id = given.account_id and e.mode = given.mode and e.id = given.id and e.status ${IS_ENABLED}`;

/** The endpoints were locked by `loadEndpointFacts`. That an endpoint is healthy is written with its deliveries. */
export async function writeEndpointHealth(
  client: pg.ClientBase,
  changes: readonly EndpointHealthWrite[],
): Promise<void> {
  if (changes.length > 0) await client.query(WRITE, HEALTH.values(changes));
}
