// The contract of DeliveryStore, as tests. Each store runs them: packages/core in memory, packages/postgres on a database.
import { newId } from '@svc-pay/protocol/ids';
import { describe, expect, test } from 'vitest';
import type { EndpointKey, LeasedDelivery, ShardLease } from '../index.ts';
import { createDeliveryContractWorld, DAY_MS, type EnterDeliveries, LEASE_MS, NOW } from './delivery-contract-world.ts';
import type { DeliveryHarness } from './delivery-harness.ts';
import { endpointHealthContract, endpointOffContract } from './endpoint-health-contract.ts';

export { deliveryStoreSequences } from './delivery-store-sequences.ts';

const MODES = ['test'] as const;
const SHARD = { drain: 'contract', index: 0, count: 1 };

/** Declares the tests for the store that `open` opens, empty, for each test. */
export function deliveryStoreContract(open: () => Promise<DeliveryHarness>): void {
  const enter: EnterDeliveries = async () => createDeliveryContractWorld(await open());
  leases(enter);
  retries(enter);
  endpointHealthContract(enter);
  endpointOffContract(enter);
  shards(enter);
}

const eventsOf = (leased: readonly LeasedDelivery[]) => leased.map(({ eventId }) => eventId);

function leases(enter: EnterDeliveries): void {
  describe('leases', () => {
    test('nobody else gets a leased delivery until the lease ends', async () => {
      const { addEndpoint, emit, leaseAll } = await enter();
      const endpoint = await addEndpoint();
      const events = await emit(endpoint, 2);
      expect(eventsOf(await leaseAll(endpoint, NOW))).toEqual(events);
      expect(await leaseAll(endpoint, NOW + LEASE_MS - 1)).toEqual([]);
      expect(eventsOf(await leaseAll(endpoint, NOW + LEASE_MS))).toEqual(events);
    });

    test('two processes that lease at once get different deliveries', async () => {
      const { addEndpoint, emit, leaseAll } = await enter();
      const endpoint = await addEndpoint();
      const events = await emit(endpoint, 6);
      const taken = await Promise.all([1, 2, 3].map(() => leaseAll(endpoint, NOW, 2)));
      const got = eventsOf(taken.flat());
      expect(new Set(got).size).toBe(got.length);
      expect(events).toEqual(expect.arrayContaining(got));
    });

    test('what is due for longest is leased first, as many as there is room for, with the event’s bytes', async () => {
      const { addEndpoint, emit, leaseAll } = await enter();
      const [endpoint, other] = [await addEndpoint(), await addEndpoint()];
      const [first, second] = await emit(endpoint, 3);
      await emit(other);
      const leased = await leaseAll(endpoint, NOW, 2);
      expect(eventsOf(leased)).toEqual([first, second]);
      expect(leased[0]).toMatchObject({ attempt: 1, chargedBefore: 0, sequence: 1, endpointId: endpoint.endpointId });
      expect(new TextDecoder().decode(leased[0]?.body)).toBe(first);
    });

    test('what goes first is leased before what is due for longer, also when only kept room is left', async () => {
      const { addEndpoint, emit, leaseAll } = await enter();
      const endpoint = await addEndpoint();
      const ordinary = await emit(endpoint, 5, NOW - 1_000);
      const [early, middle, late] = await emit(endpoint, 3, NOW, true);
      expect(eventsOf(await leaseAll(endpoint, NOW, 0, 1))).toEqual([early]);
      const leased = await leaseAll(endpoint, NOW, 2, 1);
      expect(eventsOf(leased)).toEqual([ordinary[0], middle, late]);
      expect(leased.map(({ goesFirst }) => goesFirst)).toEqual([false, true, true]);
      expect(eventsOf(await leaseAll(endpoint, NOW, 2, 3))).toEqual(ordinary.slice(1, 3));
      expect(eventsOf(await leaseAll(endpoint, NOW, 0, 5))).toEqual([]);
    });

    test('without kept room no more are leased than there is room for, whatever goes first', async () => {
      const { addEndpoint, emit, leaseAll } = await enter();
      const endpoint = await addEndpoint();
      const ordinary = await emit(endpoint, 3, NOW - 1_000);
      const first = await emit(endpoint, 2, NOW, true);
      expect(eventsOf(await leaseAll(endpoint, NOW, 3))).toEqual([ordinary[0], ...first]);
      expect(eventsOf(await leaseAll(endpoint, NOW, 3))).toEqual(ordinary.slice(1));
    });

    test('of another account nothing is leased', async () => {
      const { addEndpoint, emit, leaseAll } = await enter();
      const endpoint = await addEndpoint();
      await emit(endpoint);
      expect(await leaseAll({ ...endpoint, accountId: newId('account', NOW) }, NOW)).toEqual([]);
    });

    test('a lost lease is an attempt that nobody is charged for, and its late report changes nothing', async () => {
      const { addEndpoint, emit, leaseOne, report, readDelivery, readAttempts, readEndpoint } = await enter();
      const endpoint = await addEndpoint();
      const [event] = await emit(endpoint);
      const lost = await leaseOne(endpoint, NOW);
      const next = await leaseOne(endpoint, NOW + LEASE_MS);
      expect(next).toMatchObject({ attempt: 2, chargedBefore: 0 });
      expect(await report([[lost, 200]], NOW + LEASE_MS)).toMatchObject({ count: 0, switchedOff: [] });
      expect(await report([[lost, 500]], NOW + LEASE_MS + 1)).toMatchObject({ count: 0, switchedOff: [] });
      expect(await readDelivery(endpoint, event)).toMatchObject({ status: 'pending', isLeased: true });
      expect(await report([[next, 200]], NOW + LEASE_MS + 2)).toMatchObject({ count: 1, switchedOff: [] });
      expect(await report([[lost, 410]], NOW + LEASE_MS + 3)).toMatchObject({ count: 0, switchedOff: [] });
      expect(await readDelivery(endpoint, event)).toMatchObject({ status: 'succeeded', attemptCount: 2 });
      expect(await readEndpoint(endpoint)).toMatchObject({ status: 'enabled', failingSinceMs: null });
      expect(await readAttempts(endpoint, event)).toEqual([
        { attempt: 1, outcome: 'our_fault' },
        { attempt: 2, outcome: 'succeeded' },
      ]);
    });

    test('of two reports of one delivery in one set the newer lease counts', async () => {
      const { addEndpoint, emit, leaseOne, report, readDelivery } = await enter();
      const endpoint = await addEndpoint();
      const [event] = await emit(endpoint);
      const lost = await leaseOne(endpoint, NOW);
      const next = await leaseOne(endpoint, NOW + LEASE_MS);
      const sets = [
        [lost, 500],
        [next, 200],
      ] as const;
      expect(await report(sets, NOW + LEASE_MS)).toMatchObject({ count: 1, switchedOff: [] });
      expect(await readDelivery(endpoint, event)).toMatchObject({ status: 'succeeded' });
    });

    test('a report is recorded once', async () => {
      const { addEndpoint, emit, leaseOne, report, readDelivery, readAttempts } = await enter();
      const endpoint = await addEndpoint();
      const [event] = await emit(endpoint);
      const lease = await leaseOne(endpoint, NOW);
      expect(await report([[lease, 500]], NOW)).toMatchObject({ count: 1 });
      const before = await readDelivery(endpoint, event);
      expect(await report([[lease, 200]], NOW + 1)).toMatchObject({ count: 0 });
      expect(await readDelivery(endpoint, event)).toEqual(before);
      expect(await readAttempts(endpoint, event)).toHaveLength(1);
    });
  });
}

function retries(enter: EnterDeliveries): void {
  describe('retries', () => {
    test('a failed attempt uses up a retry and is due by the schedule; a fault of ours does not', async () => {
      const { addEndpoint, emit, leaseOne, report, readDelivery } = await enter();
      const endpoint = await addEndpoint();
      const [event] = await emit(endpoint);
      await report([[await leaseOne(endpoint, NOW), 'our_fault']], NOW);
      expect(await readDelivery(endpoint, event)).toMatchObject({ nextAtMs: NOW + 5_000, unchargedCount: 1 });
      expect(await leaseOne(endpoint, NOW + 4_999)).toBeUndefined();
      const second = await leaseOne(endpoint, NOW + 5_000);
      expect(second).toMatchObject({ attempt: 2, chargedBefore: 0 });
      await report([[second, 503]], NOW + 5_000);
      expect(await readDelivery(endpoint, event)).toMatchObject({ nextAtMs: NOW + 10_000, unchargedCount: 1 });
      expect(await leaseOne(endpoint, NOW + 10_000)).toMatchObject({ attempt: 3, chargedBefore: 1 });
    });

    test('without retries left a delivery is failed, with the reason', async () => {
      const { addEndpoint, emit, leaseOne, report, readDelivery } = await enter();
      const endpoint = await addEndpoint({ retryCount: 0 });
      const [event] = await emit(endpoint);
      expect(await report([[await leaseOne(endpoint, NOW), 500]], NOW)).toMatchObject({ givenUp: [endpoint.mode] });
      expect(await readDelivery(endpoint, event)).toEqual({
        status: 'failed',
        reason: 'retries_exhausted',
        nextAtMs: null,
        isLeased: false,
        attemptCount: 1,
        unchargedCount: 0,
      });
      expect(await leaseOne(endpoint, NOW + 30 * DAY_MS)).toBeUndefined();
    });

    test('the last failure on an endpoint that was disabled meanwhile is parked and not given up', async () => {
      const { addEndpoint, emit, leaseOne, report, disable, readDelivery } = await enter();
      const endpoint = await addEndpoint({ retryCount: 0 });
      const [event] = await emit(endpoint);
      const lease = await leaseOne(endpoint, NOW);
      await disable(endpoint, NOW + 1);
      expect(await report([[lease, 500]], NOW + 2)).toMatchObject({ count: 1, givenUp: [] });
      expect(await readDelivery(endpoint, event)).toMatchObject({ status: 'pending', isLeased: false });
    });
  });
}

function shards(enter: EnterDeliveries): void {
  const leaseOf = (epoch: string): ShardLease => ({ ...SHARD, epoch });
  describe('shards', () => {
    test('a take-over ends every earlier lease on the shard', async () => {
      const { store } = await enter();
      const first = await store.takeOverShard(SHARD, NOW);
      expect(await store.heartbeatShard(leaseOf(first), NOW)).toBe(true);
      const second = await store.takeOverShard(SHARD, NOW);
      expect(Number(second)).toBe(Number(first) + 1);
      expect(await store.heartbeatShard(leaseOf(first), NOW)).toBe(false);
      expect(await store.heartbeatShard(leaseOf(second), NOW)).toBe(true);
    });

    test('a shard falls asleep only while nothing is due, and is found once something is', async () => {
      const { store, addEndpoint, emit } = await enter();
      const find = (nowMs: number) => store.findSleepingShards(SHARD, MODES, nowMs, nowMs - 5_000);
      const endpoint = await addEndpoint();
      const epoch = await store.takeOverShard(SHARD, NOW);
      expect(await store.fallAsleep(leaseOf(epoch), MODES, NOW)).toBe(true);
      expect(await find(NOW)).toEqual([]);
      await emit(endpoint, 1, NOW + 1);
      expect(await find(NOW + 1)).toEqual([0]);
      expect(await find(NOW + 1)).toEqual([]);
      expect(await store.fallAsleep(leaseOf(epoch), MODES, NOW + 1)).toBe(false);
      expect(await find(NOW + 5_001)).toEqual([]);
      expect(await find(NOW + 5_002)).toEqual([0]);
    });

    test('a process without the lease cannot put a shard to sleep', async () => {
      const { store, addEndpoint, emit } = await enter();
      const old = await store.takeOverShard(SHARD, NOW);
      await store.takeOverShard(SHARD, NOW);
      await store.fallAsleep(leaseOf(old), MODES, NOW);
      await emit(await addEndpoint());
      expect(await store.findSleepingShards(SHARD, MODES, NOW, NOW - 5_000)).toEqual([]);
    });

    test('due endpoints are named once, with whether they get events now', async () => {
      const { store, addEndpoint, emit, disable } = await enter();
      const [on, off, later] = [await addEndpoint(), await addEndpoint(), await addEndpoint()];
      await emit(on, 2);
      await emit(off);
      await emit(later, 1, NOW + DAY_MS);
      await disable(off, NOW);
      const expected = [
        { ...on, enabled: true },
        { ...off, enabled: false },
      ].toSorted((one, other) => (one.endpointId < other.endpointId ? -1 : 1));
      const named = (endpoints: readonly EndpointKey[]) =>
        endpoints.toSorted((one, other) => (one.endpointId < other.endpointId ? -1 : 1));
      const { endpoints, all } = await store.findDueEndpoints(SHARD, MODES, NOW);
      expect({ endpoints: named(endpoints), all }).toEqual({ endpoints: expected, all: true });
      expect(named(await store.findFreshEndpoints(SHARD, MODES, NOW))).toEqual(expected);
      const walked = await store.walkDueEndpoints(SHARD, MODES, NOW, '');
      expect({ ...walked, endpoints: named(walked.endpoints) }).toEqual({ endpoints: expected, after: '' });
      expect(await store.findDueEndpoints(SHARD, ['live'], NOW)).toEqual({ endpoints: [], all: true });
    });
  });
}
