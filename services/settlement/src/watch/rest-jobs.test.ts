import { createLookout, type NodeReading, type OpenWork } from '@svc-pay/core';
import type { MaintenanceStore, UnpaidIntent } from '@svc-pay/postgres/settlement-service';
import type { NetworkId } from '@svc-pay/protocol';
import { expect, test } from 'vitest';
import { createAnswerExpiry, createLeaseExpiry, createRefusedExpiry, createUnpaidRemoval } from './maintenance-jobs.ts';
import { restJob } from './rest-jobs.ts';
import { createNodeWatch } from './watch-nodes.ts';

const NETWORK = 'eip155:8453' as NetworkId;
const REST_MS = 300_000;
const clock = { nowMs: () => 0 };

/** A lookout to which nothing is open unless told. */
function idleLookout(isOpen = false) {
  const work = {
    lanes: isOpen,
    unfinishedBatch: isOpen,
    held: isOpen,
    authorizations: isOpen,
    direct: isOpen,
    refunds: isOpen,
    uncomparedBatch: isOpen,
  };
  const seen: OpenWork = { overdueIntent: isOpen, unsealedAudit: isOpen, networks: new Map([[NETWORK, work]]) };
  return createLookout({ look: async () => seen, everyMs: 1_000, onProblem: () => {} });
}

/** Rows that wait to be deleted, for every deletion alike. */
function storeOf(rows: { left: number }, fails: () => boolean = () => false) {
  const take = async (limit: number) => {
    if (fails()) throw new Error('no database');
    const taken = Math.min(limit, rows.left);
    rows.left -= taken;
    return taken;
  };
  return {
    deleteOldAnswers: (_: number, limit: number) => take(limit),
    deleteClosedRefused: (_: number, limit: number) => take(limit),
    deleteEndedLeases: (_: number, __: number, limit: number) => take(limit),
    loadUnpaidIntents: async (_: number, __: UnpaidIntent | undefined, limit: number) =>
      Array.from({ length: await take(limit) }, () => ({}) as UnpaidIntent),
    removeUnpaidIntents: async () => 0,
  } as unknown as MaintenanceStore;
}

const DELETIONS = [
  ['idempotency keys', createAnswerExpiry],
  ['refused authorizations', createRefusedExpiry],
  ['leases', createLeaseExpiry],
  ['unpaid intents', (store: MaintenanceStore) => createUnpaidRemoval(store, clock, 30)],
] as const;

test.each(DELETIONS)(
  'the deletion of %s rests after a run that found nothing, and after no other',
  async (_, create) => {
    const rows = { left: 0 };
    let failing = false;
    const { run, rest } = restJob(
      create(
        storeOf(rows, () => failing),
        clock,
      ),
      idleLookout(),
      REST_MS,
    );
    expect(await rest?.mayBegin()).toBe(false);
    await run();
    expect(await rest?.mayBegin()).toBe(true);
    rows.left = 1;
    await run();
    expect(await rest?.mayBegin()).toBe(false);
    failing = true;
    await expect(run()).rejects.toThrow('no database');
    expect(await rest?.mayBegin()).toBe(false);
    failing = false;
    rows.left = 3_000;
    await run();
    expect(await rest?.mayBegin()).toBe(false);
    await run();
    expect([rows.left, await rest?.mayBegin()]).toEqual([0, true]);
  },
);

test('the nodes of a network are read seldom while no lane has work and all of them answer', async () => {
  const fine: NodeReading = {
    endpoint: 1,
    tookMs: 1,
    answered: true,
    head: 1n,
    headSeconds: 1n,
    finalHead: 1n,
    finalSeconds: 1n,
  };
  const silent: NodeReading = { endpoint: 2, tookMs: 1, answered: false, otherChain: false };
  let readings: readonly NodeReading[] = [fine, silent];
  const watch = createNodeWatch(
    { network: NETWORK, readNodes: async () => readings },
    { nodeReadings: { recordNodes: async () => {} }, clock },
  );
  const idle = restJob(watch, idleLookout(), REST_MS);
  const busy = restJob(watch, idleLookout(true), REST_MS);
  await idle.run();
  expect(await idle.rest?.mayBegin()).toBe(false);
  readings = [fine];
  await idle.run();
  expect([await idle.rest?.mayBegin(), await busy.rest?.mayBegin()]).toEqual([true, false]);
});

test.each([
  // The operator's page calls readings old after a minute, and an alert tells of a check that is 30 seconds old.
  ['nodes', 60_000],
  ['health', 30_000],
  ['gas-budget', 80_000],
  ['authorizations', 20_000],
])('a rest of %s ends before others would notice it, with the quarter that is added', async (watcher, limitMs) => {
  const job = { name: `${watcher}.eip155.8453`, everyMs: 1_000, run: async () => {} };
  expect((restJob(job, idleLookout(), REST_MS).rest?.everyMs ?? 0) * 1.25).toBeLessThan(limitMs);
});
