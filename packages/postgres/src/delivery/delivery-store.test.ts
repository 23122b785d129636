import type { DeliveryReport } from '@svc-pay/core';
import type { DeliveryHarness } from '@svc-pay/core/testing';
import { deliveryStoreContract, deliveryStoreSequences } from '@svc-pay/core/testing/contracts';
import { newId } from '@svc-pay/protocol/ids';
import { expect, test } from 'vitest';
import { inTransaction } from '../database/in-transaction.ts';
import { deleteEndpoint, disableEndpoint } from '../endpoint/change-endpoint.ts';
import { enableEndpoint } from '../endpoint/enable-endpoint.ts';
import type { MerchantWork } from '../idempotency/merchant-write.ts';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { insertRow } from '../testing/sample-rows.ts';
import { seedMerchant } from '../testing/seed-merchant.ts';
import { whileUncommitted } from '../testing/while-uncommitted.ts';
import { createDeliveryStore } from './delivery-store.ts';
import { loadEndpointFacts } from './endpoint-facts.ts';

const { pool } = await createTestDatabase();
const caller = await seedMerchant(pool);
const owner = { accountId: caller.accountId, mode: caller.mode };

type EndpointState = {
  status: 'enabled' | 'disabled' | 'deleted';
  disabled_reason: string | null;
  failing_since: Date;
};
type DeliveryState = {
  status: string;
  reason: string | null;
  next_at: Date | number | null;
  lease_until: Date | null;
  attempt_count: number;
  uncharged_count: number;
};

deliveryStoreContract(open);
deliveryStoreSequences(open);

async function open(): Promise<DeliveryHarness> {
  for (const table of ['deliveries', 'delivery_attempts', 'delivery_shards', 'endpoints']) {
    await pool.query(`delete from svc.${table}`);
  }
  const asMerchant = (nowMs: number, perform: (work: MerchantWork) => Promise<unknown>) =>
    inTransaction(pool, async (client) => {
      await perform({ client, caller, nowMs, audit: async () => {} });
    });
  return {
    store: createDeliveryStore(pool),
    addEndpoint: async ({ id, retryCount = 10, failingSinceMs, changedAtMs }) => {
      await insertRow(pool, 'endpoints', {
        account_id: owner.accountId,
        id,
        retry_count: retryCount,
        failing_since: failingSinceMs === undefined ? null : new Date(failingSinceMs),
        created_at: new Date(changedAtMs),
        updated_at: new Date(changedAtMs),
      });
      return { ...owner, endpointId: id };
    },
    addDelivery: async ({ accountId, endpointId }, eventId, dueAtMs, goesFirst = false) => {
      const shared = { account_id: accountId, created_at: new Date(dueAtMs) };
      await insertRow(pool, 'events', { ...shared, id: eventId, body: Buffer.from(eventId) });
      const delivery = {
        event_id: eventId,
        endpoint_id: endpointId,
        next_at: new Date(dueAtMs),
        goes_first: goesFirst,
      };
      await insertRow(pool, 'deliveries', { ...shared, ...delivery });
    },
    enable: (endpoint, nowMs) => enableEndpoint(pool, endpoint, nowMs),
    disable: ({ endpointId }, nowMs) => asMerchant(nowMs, (work) => disableEndpoint(work, endpointId)),
    remove: ({ endpointId }, nowMs) => asMerchant(nowMs, (work) => deleteEndpoint(work, endpointId)),
    readEndpoint: async ({ endpointId }) => {
      const { rows } = await pool.query<EndpointState>(
        'select status, disabled_reason, failing_since from svc.endpoints where id = $1',
        [endpointId],
      );
      const [row] = rows;
      if (row === undefined) return undefined;
      const { status, disabled_reason: disabledReason, failing_since } = row;
      return { status, disabledReason, failingSinceMs: failing_since?.getTime() ?? null };
    },
    readDelivery: async ({ endpointId }, eventId) => {
      const { rows } = await pool.query<DeliveryState>(
        `select status, reason, next_at, lease_until, attempt_count, uncharged_count
         from svc.deliveries where event_id = $1 and endpoint_id = $2`,
        [eventId, endpointId],
      );
      const [row] = rows;
      if (row === undefined) return undefined;
      return {
        status: row.status,
        reason: row.reason,
        nextAtMs: row.next_at === null ? null : Number(row.next_at),
        isLeased: row.lease_until !== null,
        attemptCount: row.attempt_count,
        unchargedCount: row.uncharged_count,
      };
    },
    readAttempts: async ({ endpointId }, eventId) => {
      const { rows } = await pool.query<{ attempt: number; outcome: string }>(
        'select attempt, outcome from svc.delivery_attempts where event_id = $1 and endpoint_id = $2 order by attempt',
        [eventId, endpointId],
      );
      return rows;
    },
  };
}

test('reports that wait for the endpoint of another process are judged by what that wrote', async () => {
  const { addEndpoint, addDelivery, store } = await open();
  const endpoint = await addEndpoint({ id: newId('endpoint', Date.now()), changedAtMs: 0 });
  const nowMs = Date.now();
  for (let each = 0; each < 3; each += 1) await addDelivery(endpoint, newId('event', nowMs), nowMs - 1_000);
  const leased = await store.leaseDeliveries([{ ...endpoint, room: 10, keptRoom: 0 }], nowMs, 60_000);
  const reports = leased.map((delivery) => ({ delivery }) as DeliveryReport);
  const since = new Date(nowMs - 5_000);
  const facts = await whileUncommitted(
    pool,
    ['update svc.endpoints set failing_since = $2 where id = $1', endpoint.endpointId, since],
    () => inTransaction(pool, (client) => loadEndpointFacts(client, reports)),
  );
  expect(facts.map((fact) => fact.endpoint?.failingSinceMs)).toEqual([1, 2, 3].map(() => since.getTime()));
});
