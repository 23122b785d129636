// Enabling, disabling and deleting an endpoint in the memory store, as packages/postgres does it.
import { decideDisable, decideEnable, decideUnsendable, type EndpointKey, PARKED_AT_MS } from '../index.ts';
import type { DeliveryRow, EndpointRow, MemoryDeliveryTables } from './memory-delivery-tables.ts';

export function memoryEndpoint(
  { endpoints }: Pick<MemoryDeliveryTables, 'endpoints'>,
  { accountId, mode, endpointId }: EndpointKey,
): EndpointRow | undefined {
  const row = endpoints.get(endpointId);
  return row?.accountId === accountId && row.mode === mode ? row : undefined;
}

/** Number of deliveries that become due; undefined when the endpoint does not exist or is not disabled. */
export function enableMemoryEndpoint(
  tables: MemoryDeliveryTables,
  key: EndpointKey,
  nowMs: number,
): number | undefined {
  const endpoint = memoryEndpoint(tables, key);
  const decision = endpoint && decideEnable(endpoint, nowMs);
  if (endpoint === undefined || decision === undefined) return undefined;
  const { missedSinceMs, ...switched } = decision;
  Object.assign(endpoint, switched, { changedAtMs: nowMs });
  const missed = deliveriesOf(tables, key).filter(
    ({ status, nextAtMs, finishedAtMs }) =>
      (status === 'pending' && nextAtMs === PARKED_AT_MS) ||
      (status === 'failed' && finishedAtMs !== null && finishedAtMs >= missedSinceMs),
  );
  for (const row of missed) {
    Object.assign(row, { status: 'pending', nextAtMs: nowMs, finishedAtMs: null, reason: null });
    row.unchargedCount = row.attemptCount;
  }
  return missed.length;
}

export function disableMemoryEndpoint(tables: MemoryDeliveryTables, key: EndpointKey, nowMs: number): void {
  const endpoint = memoryEndpoint(tables, key);
  const decision = endpoint && decideDisable(endpoint);
  if (decision !== undefined) Object.assign(endpoint ?? {}, decision, { changedAtMs: nowMs });
}

/** Leased deliveries may still arrive, but are not tried again. */
export function deleteMemoryEndpoint(tables: MemoryDeliveryTables, key: EndpointKey, nowMs: number): void {
  const endpoint = memoryEndpoint(tables, key);
  if (endpoint === undefined || endpoint.status === 'deleted') return;
  const gone = { status: 'deleted', disabledReason: null, failingSinceMs: null, changedAtMs: nowMs };
  Object.assign(endpoint, gone);
  for (const row of deliveriesOf(tables, key)) {
    if (row.status !== 'pending' || row.leaseUntilMs !== null) continue;
    Object.assign(row, decideUnsendable('deleted'), { finishedAtMs: nowMs, fence: row.fence + 1 });
  }
}

function deliveriesOf({ deliveries }: MemoryDeliveryTables, key: EndpointKey): readonly DeliveryRow[] {
  return [...deliveries.values()].filter(
    ({ accountId, mode, endpointId }) =>
      accountId === key.accountId && mode === key.mode && endpointId === key.endpointId,
  );
}
