// The model of delivering, held to PostgreSQL: one generated sequence of calls, with leases that end and reports that come
// too late, gets the same answers from both, and leaves the same behind.
import { type DeliveryReport, type DeliveryStore, judgeAttempt, type LeasedDelivery, type Mode } from '@svc-pay/core';
import { answerOf, createTables, plain, type Tables } from '@svc-pay/core/testing';
import { createTestDatabase, createTestIntent, insertRow, seedMerchant } from '@svc-pay/postgres/testing';
import { createDeliveryStore } from '@svc-pay/postgres/webhooks-service';
import { expect, test } from 'vitest';
import { createDice, type Dice } from '../../chaos/harness/dice.ts';
import { createDeliveryModel } from './delivery-model.ts';

const MODES: readonly Mode[] = ['test'];
const SHARD = { drain: 'deliveries', index: 0, count: 1 };
const LEASE_MS = 60_000;
const ENDPOINTS = ['we_model_a', 'we_model_b'];
const INTENTS = 6;
const CALLS = 90;

type EventRow = { id: string; body: Buffer; sequence: number; created_at: Date; intent_id: string };
type DeliveryRow = { event_id: string; endpoint_id: string; next_at: Date };

async function world() {
  const { pool } = await createTestDatabase();
  const caller = await seedMerchant(pool, { tokens: ['basesepolia_usdc'] });
  const { accountId } = caller;
  const tables = createTables();
  for (const id of ENDPOINTS) {
    const own = { account_id: accountId, id, retry_count: 2, timeout_seconds: 5 };
    await insertRow(pool, 'endpoints', { ...own, event_types: ['payment_intent.created'] });
    tables.endpoints.set(id, {
      accountId,
      mode: 'test',
      id,
      url: 'https://shop.example/hooks',
      retryCount: 2,
      timeoutMs: 5_000,
      eventTypes: ['payment_intent.created'],
      status: 'enabled',
      disabledReason: null,
      failingSinceMs: null,
    });
  }
  for (let index = 0; index < INTENTS; index += 1) await createTestIntent(pool, caller);
  const events = await pool.query<EventRow>('select id, body, sequence, created_at, intent_id from svc.events');
  for (const { id, body, sequence } of events.rows) {
    tables.events.set(id, { id, body, sequence, accountId, mode: 'test' } as never);
  }
  // One after the other, so that the order in which they are claimed is no matter of taste.
  const due = await pool.query<DeliveryRow>(
    `update svc.deliveries d set next_at = d.next_at + row.place * interval '7 milliseconds'
     from (select event_id, endpoint_id, row_number() over (order by event_id, endpoint_id) as place from svc.deliveries) row
     where row.event_id = d.event_id and row.endpoint_id = d.endpoint_id
     returning d.event_id, d.endpoint_id, d.next_at`,
  );
  for (const { event_id: eventId, endpoint_id: endpointId, next_at: nextAt } of due.rows) {
    tables.deliveries.set(`${eventId} ${endpointId}`, {
      accountId,
      mode: 'test',
      eventId,
      endpointId,
      status: 'pending',
      nextAtMs: nextAt.getTime(),
      leaseUntilMs: null,
      fence: 0,
      attemptCount: 0,
      unchargedCount: 0,
    });
  }
  const startMs = Math.max(...due.rows.map((row) => row.next_at.getTime())) + 1_000;
  return { pool, tables, accountId, startMs };
}

function reportOf(delivery: LeasedDelivery, dice: Dice, nowMs: number): DeliveryReport {
  const outcome = dice.pick(['succeeded', 'refused', 'refused', 'timed_out', 'our_fault'] as const);
  const responseStatus = outcome === 'refused' ? dice.pick([500, 500, 503, 410]) : outcome === 'succeeded' ? 200 : null;
  const record: DeliveryReport['record'] = {
    outcome,
    responseStatus,
    address: null,
    dnsMs: null,
    connectMs: null,
    tlsMs: null,
    firstByteMs: null,
    totalMs: 3,
    requestHeaders: {},
    responseHeaders: {},
    responseExcerpt: null,
    error: null,
    startedAtMs: nowMs,
    retryAfterMs: null,
  };
  return { delivery, record, verdict: judgeAttempt(delivery, record, nowMs, dice.roll) };
}

const byDelivery = (one: LeasedDelivery, other: LeasedDelivery) =>
  `${one.eventId} ${one.endpointId}` < `${other.eventId} ${other.endpointId}` ? -1 : 1;

test.for([1, 2, 3])('delivering: the same calls get the same answers from the model, sequence %i', async (seed) => {
  const { pool, tables, accountId, startMs } = await world();
  const dice = createDice(seed);
  const model = createDeliveryModel(tables, async (_name, action) => action());
  const real = createDeliveryStore(pool);
  let nowMs = startMs;
  let epoch = '0';
  let inHand: readonly LeasedDelivery[] = [];
  const seen = new Set<string>();
  const both = async (name: string, call: (store: DeliveryStore) => Promise<unknown>): Promise<void> => {
    const [ours, theirs] = [await answerOf(() => call(model)), await answerOf(() => call(real))];
    expect({ name, answer: ours }).toEqual({ name, answer: theirs });
    seen.add(name);
  };
  const lease = () => ({ ...SHARD, epoch: dice.roll() < 0.2 ? '0' : epoch });
  const calls: Readonly<Record<string, () => Promise<void>>> = {
    takeOver: async () => {
      await both('takeOverShard', (store) => store.takeOverShard(SHARD, nowMs));
      epoch = String(tables.shards.get('deliveries 0')!.epoch);
    },
    heartbeat: () => {
      const who = lease();
      return both('heartbeatShard', (store) => store.heartbeatShard(who, nowMs));
    },
    sleep: () => {
      const who = lease();
      return both('fallAsleep', (store) => store.fallAsleep(who, MODES, nowMs));
    },
    sleeping: () => both('findSleepingShards', (store) => store.findSleepingShards(SHARD, MODES, nowMs, nowMs - 5_000)),
    due: () =>
      both('findDueEndpoints', async (store) => {
        const { endpoints, all } = await store.findDueEndpoints(SHARD, MODES, nowMs);
        return { all, endpoints: endpoints.toSorted((one, other) => (one.endpointId < other.endpointId ? -1 : 1)) };
      }),
    claim: async () => {
      const wanted = ENDPOINTS.map((endpointId) => ({
        accountId,
        mode: 'test' as const,
        endpointId,
        room: 1 + Math.floor(dice.roll() * 3),
      }));
      await both('leaseDeliveries', async (store) => {
        const claimed = (await store.leaseDeliveries(wanted, nowMs, LEASE_MS)).toSorted(byDelivery);
        if (store === model) inHand = [...inHand, ...claimed];
        return claimed;
      });
    },
    record: async () => {
      const chosen = inHand.filter(() => dice.roll() < 0.5);
      // One report per delivery: of two, a set-based statement counts the one that it meets.
      const reports = [...new Map(chosen.map((one) => [`${one.eventId} ${one.endpointId}`, one])).values()].map((one) =>
        reportOf(one, dice, nowMs),
      );
      await both('recordDeliveries', (store) => store.recordDeliveries(reports, nowMs));
      if (dice.roll() < 0.7) inHand = inHand.filter((one) => !chosen.includes(one));
    },
    stop: async () => {
      const endpoint = { accountId, mode: 'test' as const, endpointId: dice.pick(ENDPOINTS) };
      await both('stopDeliveries', (store) => store.stopDeliveries(endpoint, nowMs));
    },
  };
  await calls['takeOver']!();
  for (let call = 0; call < CALLS; call += 1) {
    nowMs += Math.floor(dice.roll() * (dice.roll() < 0.2 ? 90_000 : 4_000));
    await calls[dice.pick([...Object.keys(calls), 'claim', 'record'])]!();
  }
  expect(seen.size).toBe(8);
  expect(await leftInPostgres(pool)).toEqual(leftInModel(tables));
});

async function leftInPostgres(pool: Awaited<ReturnType<typeof world>>['pool']) {
  const rows = async (text: string) => (await pool.query<Record<string, unknown>>(text)).rows.map(plain);
  return {
    deliveries: await rows(
      `select event_id as event, endpoint_id as endpoint, status, fence::integer, attempt_count as attempts,
         uncharged_count as uncharged, next_at = 'infinity' as parked
       from svc.deliveries order by event_id collate "C", endpoint_id collate "C"`,
    ),
    endpoints: await rows('select id, status, disabled_reason as reason from svc.endpoints order by id'),
    attempts: await rows(
      `select event_id as event, endpoint_id as endpoint, attempt, outcome from svc.delivery_attempts
       order by event_id collate "C", endpoint_id collate "C", attempt`,
    ),
  };
}

function leftInModel({ deliveries, endpoints, attempts }: Tables) {
  const keyed = <Row extends { eventId: string; endpointId: string }>(one: Row, other: Row) =>
    `${one.eventId} ${one.endpointId}` < `${other.eventId} ${other.endpointId}` ? -1 : 1;
  return {
    deliveries: [...deliveries.values()].toSorted(keyed).map((row) => ({
      attempts: row.attemptCount,
      endpoint: row.endpointId,
      event: row.eventId,
      fence: row.fence,
      parked: row.nextAtMs === null ? null : row.nextAtMs === Number.POSITIVE_INFINITY,
      status: row.status,
      uncharged: row.unchargedCount,
    })),
    endpoints: [...endpoints.values()].map(({ id, status, disabledReason }) => ({
      id,
      reason: disabledReason,
      status,
    })),
    attempts: attempts
      .toSorted((one, other) =>
        one.eventId === other.eventId && one.endpointId === other.endpointId
          ? one.attempt - other.attempt
          : keyed(one, other),
      )
      .map(({ eventId, endpointId, attempt, outcome }) => ({ attempt, endpoint: endpointId, event: eventId, outcome })),
  };
}
