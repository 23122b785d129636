// States in which a backup may have a payment whose stranded money the chain has settled or returned since.
import { randomBytes } from 'node:crypto';
import type { MinedBatch, ResolvedStranding } from '@svc-pay/core';
import { expect, test } from 'vitest';
import { createStrandedLaneStore } from '../stranded/stranded-lane-store.ts';
import { carriedFor, carriedOf } from '../testing/carried-payment.ts';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { createTestIntent } from '../testing/create-test-intent.ts';
import { createLaneWorld, FIRST_NONCE, type LaneWorld } from '../testing/lane-world.ts';
import { queuePayment } from '../testing/queue-payment.ts';
import { restoreStranded } from './restore-stranded.ts';

const hash = () => `0x${randomBytes(32).toString('hex')}`;
const POSITION = { transactionId: hash(), logIndex: 3 };

async function world(): Promise<LaneWorld> {
  const lane = await createLaneWorld((await createTestDatabase()).pool);
  await lane.pool.query("update svc.relayers set duty = 'resolve_stranded'");
  return lane;
}

const sentFor = (lane: LaneWorld, resolved: ResolvedStranding) => ({
  ...lane.lane,
  nonce: FIRST_NONCE,
  transactionId: hash(),
  raw: randomBytes(8),
  blockNumber: 9n,
  form: 'resolve_stranded' as const,
  carried: [],
  settled: [],
  resolved,
});

/** One percent of what is settled, as the world's payout says. */
const feeOf = ({ resolved }: ReturnType<typeof sentFor>) =>
  resolved.action === 'settle' ? resolved.carried.settledAtomic / 100n : 0n;

/** Restores, then records as the lane does when it finds the transaction mined. */
async function restoreAndRecord(lane: LaneWorld, onChain: ReturnType<typeof sentFor>) {
  const lease = await lane.takeLease();
  const restored = await restoreStranded(lane.pool, lease, onChain, POSITION, Date.now());
  const store = createStrandedLaneStore(lane.pool, { clock: lane.deps.clock, gasCoinRate: () => undefined });
  for (const batch of await store.loadPendingBatches(lease)) {
    const [item] = batch.items;
    const done = {
      outcome: 'settled',
      logIndex: 5,
      transferLogIndex: 5,
      feeAtomic: feeOf(onChain),
      escrowedFor: [],
    } as const;
    const mined: MinedBatch = {
      batchId: batch.id,
      transactionId: onChain.transactionId,
      blockNumber: 9n,
      blockHash: hash(),
      confirmations: 9n,
      reverted: false,
      gasCostAtomic: 21n,
      feeRecipient: item!.processor,
      items: [{ paymentId: item!.paymentId, ...done }],
    };
    expect(await store.recordMined(lease, [{ batch, mined }])).toBe(true);
  }
  return restored;
}

const transfers = async ({ pool }: LaneWorld) =>
  (await pool.query('select action, status from svc.stranded_transfers')).rows;
const strandedSum = async ({ pool }: LaneWorld) =>
  (
    await pool.query(
      `select sum(amount)::text as sum, count(*)::integer as entries from svc.ledger_entries where account_name = 'stranded'`,
    )
  ).rows[0];

test('the payment of a known intent, and of a lost one, is completed with the stranded money; once more, nothing changes', async () => {
  for (const lost of [0n, 999n]) {
    const lane = await world();
    const known = await carriedFor(lane, await createTestIntent(lane.pool, lane.caller));
    const carried = { ...known, intentCode: known.intentCode + lost };
    const onChain = sentFor(lane, { action: 'settle', carried });
    const payments = [{ standIn: lost > 0n }];
    expect(await restoreAndRecord(lane, onChain)).toMatchObject({ ok: true, batch: 'missing', payments });
    expect(await lane.statuses()).toEqual({ completed: 1 });
    expect(await transfers(lane)).toEqual([{ action: 'settle', status: 'done' }]);
    expect(await restoreAndRecord(lane, onChain)).toMatchObject({ ok: true, batch: 'recorded', payments });
    expect(await strandedSum(lane)).toEqual({ sum: '0', entries: 2 });
  }
});

test('a payment that waited in the backup is completed by a settle, and fails by a return', async () => {
  for (const action of ['settle', 'return'] as const) {
    const lane = await world();
    await queuePayment(lane.pool, lane.caller);
    const [item] = await lane.store.loadQueue(await lane.takeLease(), { index: 0, count: 1 }, 10);
    const onChain = sentFor(lane, { action, carried: carriedOf(lane, item!) });
    expect(await restoreAndRecord(lane, onChain)).toMatchObject({ ok: true, batch: 'missing' });
    expect(await lane.statuses()).toEqual(action === 'settle' ? { completed: 1 } : { failed: 1 });
    expect(await transfers(lane)).toEqual([{ action, status: 'done' }]);
    expect(await strandedSum(lane)).toEqual({ sum: '0', entries: 2 });
  }
});

test('a return of unknown money, and a stranding that no log shows, are refused and leave no row', async () => {
  const lane = await world();
  const carried = await carriedFor(lane, await createTestIntent(lane.pool, lane.caller));
  const lease = await lane.takeLease();
  const restore = (action: 'settle' | 'return') =>
    restoreStranded(lane.pool, lease, sentFor(lane, { action, carried }), undefined, Date.now());
  expect(await restore('return')).toMatchObject({ ok: false });
  expect(await restore('settle')).toMatchObject({ ok: false });
  expect((await lane.pool.query('select from svc.batches')).rowCount).toBe(0);
  expect(await lane.statuses()).toEqual({});
});
