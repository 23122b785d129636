// The part of the contract of DeliveryStore about endpoints: their health, and what waits while they get no events.
import { newId } from '@svc-pay/protocol/ids';
import { describe, expect, test } from 'vitest';
import { ENDPOINT_OFF_AFTER_MS } from '../index.ts';
import { DAY_MS, type EnterDeliveries, LEASE_MS, NOW, PARKED } from './delivery-contract-world.ts';

export function endpointHealthContract(enter: EnterDeliveries): void {
  describe('health of an endpoint', () => {
    test('410 switches it off; its deliveries wait, and enabling sends them with all their retries', async () => {
      const { addEndpoint, emit, leaseOne, report, store, enable, readEndpoint, readDelivery, leaseAll } =
        await enter();
      const endpoint = await addEndpoint({ retryCount: 0 });
      const [first, second] = await emit(endpoint, 2);
      const { accountId, endpointId } = endpoint;
      expect(await report([[await leaseOne(endpoint, NOW), 410]], NOW)).toMatchObject({
        count: 1,
        switchedOff: [{ accountId, endpointId, reason: 'gone' }],
      });
      expect(await readEndpoint(endpoint)).toEqual({ status: 'disabled', disabledReason: 'gone', failingSinceMs: NOW });
      expect(await readDelivery(endpoint, first)).toMatchObject(PARKED);
      expect(await leaseOne(endpoint, NOW)).toBeUndefined();
      expect(await store.stopDeliveries(endpoint, NOW)).toBe(1);
      expect(await readDelivery(endpoint, second)).toMatchObject(PARKED);
      expect(await enable(endpoint, NOW + DAY_MS)).toBe(2);
      expect(await readEndpoint(endpoint)).toEqual({ status: 'enabled', disabledReason: null, failingSinceMs: null });
      const again = await leaseAll(endpoint, NOW + DAY_MS);
      expect(again.map(({ attempt, chargedBefore }) => ({ attempt, chargedBefore }))).toEqual([
        { attempt: 2, chargedBefore: 0 },
        { attempt: 1, chargedBefore: 0 },
      ]);
    });

    test('five days of nothing but failures switch it off, and enabling sends what was given up since', async () => {
      const { addEndpoint, emit, leaseOne, report, enable, readEndpoint, readDelivery } = await enter();
      const endpoint = await addEndpoint({ retryCount: 0 });
      const [early] = await emit(endpoint);
      await report([[await leaseOne(endpoint, NOW), 500]], NOW);
      expect(await readEndpoint(endpoint)).toMatchObject({ status: 'enabled', failingSinceMs: NOW });
      const almostMs = NOW + ENDPOINT_OFF_AFTER_MS - 1;
      await emit(endpoint, 1, almostMs);
      expect(await report([[await leaseOne(endpoint, almostMs), 500]], almostMs)).toMatchObject({ switchedOff: [] });
      expect(await readEndpoint(endpoint)).toMatchObject({ status: 'enabled', failingSinceMs: NOW });
      const [late] = await emit(endpoint, 1, almostMs + 1);
      const { switchedOff } = await report([[await leaseOne(endpoint, almostMs + 1), 'timed_out']], almostMs + 1);
      expect(switchedOff).toMatchObject([{ endpointId: endpoint.endpointId, reason: 'failing' }]);
      expect(await readDelivery(endpoint, early)).toMatchObject({ status: 'failed' });
      expect(await readDelivery(endpoint, late)).toMatchObject(PARKED);
      expect(await enable(endpoint, almostMs + 2)).toBe(3);
      for (const event of [early, late]) {
        expect(await readDelivery(endpoint, event)).toMatchObject({ status: 'pending', nextAtMs: almostMs + 2 });
      }
    });

    test('a success outweighs the failures beside it', async () => {
      const { addEndpoint, emit, leaseAll, report, readEndpoint } = await enter();
      const endpoint = await addEndpoint({ failingSinceMs: NOW - ENDPOINT_OFF_AFTER_MS });
      await emit(endpoint, 3);
      const [one, two, three] = await leaseAll(endpoint, NOW);
      const answers = [
        [one, 500],
        [two, 200],
        [three, 500],
      ] as const;
      expect(await report(answers, NOW)).toMatchObject({ count: 3, switchedOff: [] });
      expect(await readEndpoint(endpoint)).toEqual({ status: 'enabled', disabledReason: null, failingSinceMs: null });
    });

    test('410 outweighs a success, and what did not succeed waits', async () => {
      const { addEndpoint, emit, leaseAll, report, readEndpoint, readDelivery } = await enter();
      const endpoint = await addEndpoint();
      const events = await emit(endpoint, 3);
      const [one, two, three] = await leaseAll(endpoint, NOW);
      const answers = [
        [one, 200],
        [two, 410],
        [three, 'our_fault'],
      ] as const;
      expect(await report(answers, NOW)).toMatchObject({ count: 3, switchedOff: [{ reason: 'gone' }] });
      expect(await readEndpoint(endpoint)).toMatchObject({ status: 'disabled' });
      expect(await readDelivery(endpoint, events[0])).toMatchObject({ status: 'succeeded' });
      expect(await readDelivery(endpoint, events[1])).toMatchObject(PARKED);
      expect(await readDelivery(endpoint, events[2])).toMatchObject({ ...PARKED, unchargedCount: 1 });
    });

    test('an old failure cannot switch off an endpoint that has succeeded since', async () => {
      const { addEndpoint, emit, leaseAll, report, readEndpoint, readDelivery } = await enter();
      const endpoint = await addEndpoint({ failingSinceMs: NOW - 2 * ENDPOINT_OFF_AFTER_MS });
      const [first] = await emit(endpoint, 2);
      const [old, other] = await leaseAll(endpoint, NOW);
      expect(await report([[other, 200]], NOW + 1)).toMatchObject({ count: 1, switchedOff: [] });
      expect(await report([[old, 500]], NOW + 2)).toMatchObject({ count: 1, switchedOff: [] });
      expect(await readEndpoint(endpoint)).toMatchObject({ status: 'enabled', failingSinceMs: NOW + 2 });
      expect(await readDelivery(endpoint, first)).toMatchObject({ status: 'pending', nextAtMs: NOW + 5_002 });
    });

    test('a success ends the count also if its lease began before the first failure was recorded', async () => {
      const { addEndpoint, emit, leaseAll, report, readEndpoint } = await enter();
      const endpoint = await addEndpoint();
      await emit(endpoint, 2);
      const [failing, succeeding] = await leaseAll(endpoint, NOW);
      await report([[failing, 500]], NOW + 1);
      expect(await readEndpoint(endpoint)).toMatchObject({ failingSinceMs: NOW + 1 });
      await report([[succeeding, 200]], NOW + 2);
      expect(await readEndpoint(endpoint)).toMatchObject({ failingSinceMs: null });
    });

    test('a late report cannot switch off an endpoint that was enabled since', async () => {
      const { addEndpoint, emit, leaseOne, report, enable, readEndpoint } = await enter();
      const endpoint = await addEndpoint();
      await emit(endpoint);
      const lost = await leaseOne(endpoint, NOW);
      const next = await leaseOne(endpoint, NOW + LEASE_MS);
      await report([[next, 410]], NOW + LEASE_MS);
      await enable(endpoint, NOW + LEASE_MS + 1);
      const late = await report([[lost, 410]], NOW + LEASE_MS + 2);
      expect(late).toMatchObject({ count: 0, switchedOff: [] });
      expect(await readEndpoint(endpoint)).toMatchObject({ status: 'enabled', failingSinceMs: null });
    });

    test('an attempt that began before the endpoint was enabled cannot switch it off', async () => {
      const { addEndpoint, emit, leaseAll, report, enable, readEndpoint, readDelivery } = await enter();
      const endpoint = await addEndpoint({ failingSinceMs: NOW - ENDPOINT_OFF_AFTER_MS });
      const [, slowEvent] = await emit(endpoint, 2);
      const [quick, slow] = await leaseAll(endpoint, NOW);
      await report([[quick, 410]], NOW + 1);
      await enable(endpoint, NOW + 2);
      expect(await report([[slow, 410]], NOW + 3, NOW + 1)).toMatchObject({ count: 1, switchedOff: [] });
      expect(await readEndpoint(endpoint)).toMatchObject({ status: 'enabled', failingSinceMs: null });
      expect(await readDelivery(endpoint, slowEvent)).toMatchObject({ status: 'pending', nextAtMs: NOW + 5_003 });
    });

    test('our own faults say nothing of the endpoint', async () => {
      const { addEndpoint, emit, leaseOne, report, readEndpoint } = await enter();
      const failingSinceMs = NOW - 2 * ENDPOINT_OFF_AFTER_MS;
      const endpoint = await addEndpoint({ failingSinceMs });
      await emit(endpoint);
      expect(await report([[await leaseOne(endpoint, NOW), 'our_fault']], NOW)).toMatchObject({
        count: 1,
        switchedOff: [],
      });
      expect(await readEndpoint(endpoint)).toMatchObject({ status: 'enabled', failingSinceMs });
    });

    test('reports of several endpoints in one set are decided for each by itself', async () => {
      const { addEndpoint, emit, leaseOne, report, readEndpoint } = await enter();
      const failing = { failingSinceMs: NOW - ENDPOINT_OFF_AFTER_MS };
      const [well, worn, gone] = [await addEndpoint(failing), await addEndpoint(failing), await addEndpoint()];
      for (const endpoint of [well, worn, gone]) await emit(endpoint);
      const { count, switchedOff } = await report(
        [
          [await leaseOne(well, NOW), 200],
          [await leaseOne(worn, NOW), 500],
          [await leaseOne(gone, NOW), 410],
        ],
        NOW,
      );
      expect(count).toBe(3);
      expect(new Map(switchedOff.map(({ endpointId, reason }) => [endpointId, reason]))).toEqual(
        new Map([
          [worn.endpointId, 'failing'],
          [gone.endpointId, 'gone'],
        ]),
      );
      expect(await readEndpoint(well)).toMatchObject({ status: 'enabled', failingSinceMs: null });
    });

    test('two processes that report at once: each report counts, and the later decision knows the earlier one', async () => {
      const { addEndpoint, emit, leaseAll, report, readEndpoint } = await enter();
      for (let round = 0; round < 8; round += 1) {
        const endpoint = await addEndpoint({ failingSinceMs: NOW - ENDPOINT_OFF_AFTER_MS });
        await emit(endpoint, 2);
        const [one, two] = await leaseAll(endpoint, NOW);
        const [good, bad] = await Promise.all([report([[one, 200]], NOW), report([[two, 500]], NOW)]);
        expect(good).toMatchObject({ count: 1, switchedOff: [] });
        expect(bad.count).toBe(1);
        const stored = await readEndpoint(endpoint);
        // Either the failure came first, after five days of failures, or it began a new count after the success.
        if (bad.switchedOff.length > 0) expect(stored).toMatchObject({ status: 'disabled', disabledReason: 'failing' });
        else expect([null, NOW]).toContain(stored?.failingSinceMs);
      }
    });

    test('two processes that hear 410 at once switch it off once', async () => {
      const { addEndpoint, emit, leaseAll, report } = await enter();
      const endpoint = await addEndpoint();
      await emit(endpoint, 4);
      const leased = await leaseAll(endpoint, NOW);
      const reports = await Promise.all(leased.map((lease) => report([[lease, 410]], NOW)));
      expect(reports.map(({ count }) => count)).toEqual([1, 1, 1, 1]);
      expect(reports.flatMap(({ switchedOff }) => switchedOff)).toHaveLength(1);
    });
  });
}

export function endpointOffContract(enter: EnterDeliveries): void {
  describe('an endpoint that gets no events', () => {
    test.each([['refused', 500] as const, ['our fault', 'our_fault'] as const])(
      'what was on its way when it was disabled waits for it, also when it is %s',
      async (_how, answer) => {
        const { addEndpoint, emit, leaseOne, report, disable, enable, readDelivery, readEndpoint } = await enter();
        const endpoint = await addEndpoint({ retryCount: 0 });
        const [event] = await emit(endpoint);
        const lease = await leaseOne(endpoint, NOW);
        await disable(endpoint, NOW + 1);
        expect(await report([[lease, answer]], NOW + 2, NOW)).toMatchObject({ count: 1, switchedOff: [] });
        expect(await readDelivery(endpoint, event)).toMatchObject(PARKED);
        expect(await readEndpoint(endpoint)).toMatchObject({ status: 'disabled', disabledReason: 'merchant' });
        expect(await enable(endpoint, NOW + DAY_MS)).toBe(1);
        expect(await readDelivery(endpoint, event)).toMatchObject({ status: 'pending', nextAtMs: NOW + DAY_MS });
      },
    );

    test('a success counts also after it was disabled', async () => {
      const { addEndpoint, emit, leaseOne, report, disable, readDelivery, readEndpoint } = await enter();
      const failingSinceMs = NOW - DAY_MS;
      const endpoint = await addEndpoint({ failingSinceMs });
      const [event] = await emit(endpoint);
      const lease = await leaseOne(endpoint, NOW);
      await disable(endpoint, NOW + 1);
      expect(await report([[lease, 200]], NOW + 2, NOW)).toMatchObject({ count: 1 });
      expect(await readDelivery(endpoint, event)).toMatchObject({ status: 'succeeded' });
      expect(await readEndpoint(endpoint)).toMatchObject({ status: 'disabled', failingSinceMs });
    });

    test('what was on its way when it was deleted is not tried again, all else is discarded at once', async () => {
      const { addEndpoint, emit, leaseOne, report, remove, readDelivery, readEndpoint } = await enter();
      const endpoint = await addEndpoint();
      const [leased, waiting] = await emit(endpoint, 2);
      const lease = await leaseOne(endpoint, NOW);
      await remove(endpoint, NOW + 1);
      const discarded = { status: 'discarded', reason: 'endpoint_deleted', nextAtMs: null, isLeased: false };
      expect(await readDelivery(endpoint, waiting)).toMatchObject(discarded);
      expect(await readDelivery(endpoint, leased)).toMatchObject({ status: 'pending', isLeased: true });
      expect(await report([[lease, 410]], NOW + 2)).toMatchObject({ count: 1, switchedOff: [] });
      expect(await readDelivery(endpoint, leased)).toMatchObject(discarded);
      expect(await readEndpoint(endpoint)).toMatchObject({ status: 'deleted' });
    });

    test('only what is due is stopped: parked if it is disabled, discarded if it is deleted or unknown', async () => {
      const { addEndpoint, emit, leaseOne, store, disable, remove, readDelivery } = await enter();
      const [off, on] = [await addEndpoint(), await addEndpoint()];
      const [leased, due] = await emit(off, 2);
      const [later] = await emit(off, 1, NOW + DAY_MS);
      await emit(on);
      await leaseOne(off, NOW);
      await disable(off, NOW);
      expect(await store.stopDeliveries(on, NOW)).toBe(0);
      expect(await store.stopDeliveries(off, NOW)).toBe(1);
      expect(await store.stopDeliveries(off, NOW)).toBe(0);
      expect(await readDelivery(off, due)).toMatchObject(PARKED);
      expect(await readDelivery(off, leased)).toMatchObject({ isLeased: true, nextAtMs: NOW - 2 });
      expect(await readDelivery(off, later)).toMatchObject({ nextAtMs: NOW + DAY_MS - 1 });
      const unknown = { ...off, endpointId: newId('endpoint', NOW) };
      const [stray] = await emit(unknown);
      expect(await store.stopDeliveries(unknown, NOW)).toBe(1);
      expect(await readDelivery(unknown, stray)).toMatchObject({ status: 'discarded', reason: 'endpoint_unknown' });
      const [left] = await emit(on, 1, NOW + 1);
      await remove(on, NOW);
      expect(await readDelivery(on, left)).toMatchObject({ status: 'discarded', reason: 'endpoint_deleted' });
    });

    test('a sender whose lease ran out is shut out of what was stopped', async () => {
      const { addEndpoint, emit, leaseOne, report, store, disable, readDelivery } = await enter();
      const endpoint = await addEndpoint();
      const [event] = await emit(endpoint);
      const lease = await leaseOne(endpoint, NOW);
      await disable(endpoint, NOW);
      expect(await store.stopDeliveries(endpoint, NOW + LEASE_MS)).toBe(1);
      expect(await report([[lease, 200]], NOW + LEASE_MS + 1)).toMatchObject({ count: 0, switchedOff: [] });
      expect(await readDelivery(endpoint, event)).toMatchObject(PARKED);
    });

    test('only a disabled endpoint is enabled', async () => {
      const { addEndpoint, enable, remove } = await enter();
      const endpoint = await addEndpoint();
      expect(await enable(endpoint, NOW)).toBeUndefined();
      await remove(endpoint, NOW);
      expect(await enable(endpoint, NOW)).toBeUndefined();
      expect(await enable({ ...endpoint, endpointId: newId('endpoint', NOW) }, NOW)).toBeUndefined();
    });
  });
}
