// What every LaneStore of lanes that settle payments guarantees.
import { newId } from '@svc-pay/protocol/ids';
import { expect, test } from 'vitest';
import type { LaneItem, LaneLease } from '../index.ts';
import { sampleActivation } from './sample-activation.ts';
import {
  ALL,
  leaseOf,
  minedAs,
  must,
  paymentRow,
  queuedItem,
  type StoredRows,
  type StoreHarness,
  sendItems,
  signedBytes,
  sumOf,
} from './store-harness.ts';

export function testLaneStore(create: () => Promise<StoreHarness>): void {
  const queued = async (count: number) => {
    const harness = await create();
    const ids: string[] = [];
    for (let index = 0; index < count; index += 1) ids.push(await harness.queuePayment());
    const lease = await leaseOf(harness.settling, harness.lanes[0]);
    const items = await harness.settling.loadQueue(lease, ALL, 100);
    return { harness, store: harness.settling, lease, ids, items };
  };
  const batchOf = (harness: StoreHarness, nonce: bigint, items: Parameters<typeof sendItems>[3]) => ({
    id: newId('batch', harness.nowMs()),
    nonce,
    signed: signedBytes(),
    items,
  });

  test('a lease that was taken over writes nothing', async () => {
    const { harness, store, lease: old, items } = await queued(2);
    const batch = await sendItems(harness, store, old, items.slice(0, 1));
    const lease = await leaseOf(store, old);
    expect(lease.epoch).toBeGreaterThan(old.epoch);
    const before = await harness.read();
    expect(await store.heartbeat(old)).toBeUndefined();
    expect(await store.storeBatches(old, [batchOf(harness, batch.nonce + 1n, items.slice(1))])).toBe(false);
    expect(await store.storeTransaction(old, batch.id, signedBytes())).toBe(false);
    expect(await store.recordMined(old, [{ batch, mined: minedAs(batch, 'settled') }])).toBe(false);
    expect(
      await store.recordUnsent(
        old,
        items.slice(1).map((item) => ({ item, outcome: 'expired' as const })),
      ),
    ).toBe(false);
    expect(await store.recordReplaced(old, batch.id)).toBe(false);
    await store.noteObstacle(old, 'nonce_gap');
    await store.advanceNonce(old, batch.nonce + 1n, batch.nonce + 9n);
    await store.defer(old, items.slice(1), harness.nowMs() + 60_000);
    expect(await harness.read()).toEqual(before);
    expect(await store.heartbeat(lease)).toMatchObject({ nextNonce: batch.nonce + 1n, obstacle: null });
    expect(await store.loadQueue(lease, ALL, 9)).toHaveLength(1);
    expect((await store.loadPendingBatches(lease))[0]?.transactions).toHaveLength(1);
  });

  test('batches are stored under consecutive nonces, each nonce once, and take their payments off the queue', async () => {
    const { harness, store, lease, items } = await queued(3);
    const first = must(await store.heartbeat(lease)).nextNonce;
    const [one, two, three] = items;
    expect(await store.storeBatches(lease, [batchOf(harness, first + 1n, [must(one)])])).toBe(false);
    expect(
      await store.storeBatches(lease, [
        batchOf(harness, first, [must(one)]),
        batchOf(harness, first + 1n, [must(two)]),
      ]),
    ).toBe(true);
    expect(await store.storeBatches(lease, [batchOf(harness, first, [must(three)])])).toBe(false);
    expect((await store.loadQueue(lease, ALL, 9)).map(({ paymentId }) => paymentId)).toEqual([must(three).paymentId]);
    const pending = await store.loadPendingBatches(lease);
    expect(pending.map(({ nonce, status }) => [nonce, status])).toEqual([
      [first, 'signed'],
      [first + 1n, 'signed'],
    ]);
    expect(pending.map((batch) => batch.items.map(({ paymentId }) => paymentId))).toEqual([
      [must(one).paymentId],
      [must(two).paymentId],
    ]);
  });

  test('a batch with one payment that is no longer queued is not stored, and nothing of it is written', async () => {
    const { harness, store, lease, items } = await queued(2);
    const { nonce } = await sendItems(harness, store, lease, items.slice(0, 1));
    const before = await harness.read();
    expect(await store.storeBatches(lease, [batchOf(harness, nonce + 1n, items)])).toBe(false);
    expect(await harness.read()).toEqual(before);
    expect((await store.heartbeat(lease))?.nextNonce).toBe(nonce + 1n);
  });

  test('a fee bump stays with its batch, in the order of signing, until the batch has a result', async () => {
    const { harness, store, lease, items } = await queued(1);
    const batch = await sendItems(harness, store, lease, items);
    harness.pass(1_000);
    const bump = signedBytes();
    expect(await store.storeTransaction(lease, batch.id, bump)).toBe(true);
    const [pending] = await store.loadPendingBatches(lease);
    expect(pending?.transactions.map(({ transactionId }) => transactionId)).toEqual([
      batch.transactions[0]?.transactionId,
      bump.transactionId,
    ]);
    expect(Buffer.from(must(must(pending).transactions[1]).raw).equals(Buffer.from(bump.raw))).toBe(true);
    await store.recordMined(lease, [{ batch: must(pending), mined: minedAs(must(pending), 'settled') }]);
    expect(await store.storeTransaction(lease, batch.id, signedBytes())).toBe(false);
  });

  test('a mined batch completes what it settled, with books that sum to zero; recorded twice it is recorded once', async () => {
    const { harness, store, lease, items } = await queued(2);
    const batch = await sendItems(harness, store, lease, items);
    const found = [{ batch, mined: minedAs(batch, ['settled', 'insufficient_funds']) }];
    expect(await store.recordMined(lease, found)).toBe(true);
    const after = await harness.read();
    const [done, open] = batch.items;
    const { transactionId } = must(batch.transactions[0]);
    expect(await paymentRow(harness, must(done).paymentId)).toMatchObject({
      status: 'completed',
      settlement: 'completed',
      intentStatus: 'completed',
      transaction: transactionId,
      paid: must(done).settledAtomic,
      ...sharesOfRow(must(done)),
      failure: null,
    });
    expect(await paymentRow(harness, must(open).paymentId)).toMatchObject({ status: 'pending', settlement: 'mined' });
    expect(sumOf(after, must(done).paymentId, 'payer')).toBe(-must(done).capAtomic);
    expect(sumOf(after, must(done).paymentId)).toBe(0n);
    expect(after.entries.filter(({ payment }) => payment === must(open).paymentId)).toEqual([]);
    expect(after.losses.map(({ payment, cause }) => [payment, cause])).toEqual([
      [must(open).paymentId, 'insufficient_funds'],
    ]);
    expect(await store.recordMined(lease, found)).toBe(true);
    expect(await harness.read()).toEqual(after);
    expect(await store.loadPendingBatches(lease)).toEqual([]);
  });

  test('the payments of a reverted batch are queued again at once, with half the limit', async () => {
    const { harness, store, lease, items } = await queued(5);
    const batch = await sendItems(harness, store, lease, items);
    await store.recordMined(lease, [{ batch, mined: minedAs(batch, 'reverted') }]);
    const again = await store.loadQueue(lease, ALL, 9);
    expect(again.map(({ paymentId, batchLimit }) => [paymentId, batchLimit])).toEqual(
      items.map(({ paymentId }) => [paymentId, 2]),
    );
    const single = await sendItems(harness, store, lease, again.slice(0, 1));
    await store.recordMined(lease, [{ batch: single, mined: minedAs(single, 'reverted') }]);
    expect((await queuedItem(harness, must(single.items[0]).paymentId)).batchLimit).toBe(1);
  });

  test('a payment that the processor refuses for now waits a minute', async () => {
    const { harness, store, lease, items } = await queued(1);
    const batch = await sendItems(harness, store, lease, items);
    await store.recordMined(lease, [{ batch, mined: minedAs(batch, 'refused_for_now') }]);
    harness.pass(59_999);
    expect(await store.peekQueue(lease, ALL, 9)).toMatchObject({ count: 0 });
    harness.pass(1);
    expect(await store.peekQueue(lease, ALL, 9)).toMatchObject({ count: 1 });
  });

  test('an item that was never sent fails if no money can have moved, and is held otherwise', async () => {
    const { harness, store, lease, items } = await queued(2);
    const [one, two] = items;
    await store.recordUnsent(lease, [
      { item: must(one), outcome: 'expired' },
      { item: must(two), outcome: 'authorization_used' },
    ]);
    expect(await paymentRow(harness, must(one).paymentId)).toMatchObject({
      status: 'failed',
      settlement: 'failed',
      intentStatus: 'requires_payment',
    });
    expect(await paymentRow(harness, must(two).paymentId)).toMatchObject({ status: 'pending', settlement: 'held' });
    expect(await store.loadQueue(lease, ALL, 9)).toEqual([]);
  });

  test('a direct item that was never sent is held with why the chain refused it, and never failed', async () => {
    const { harness, store, lease, items } = await queued(2);
    const direct = items.map((item) => ({ ...item, payout: { ...item.payout, direct: sampleActivation() } }));
    await store.recordUnsent(lease, [
      { item: must(direct[0]), outcome: 'insufficient_funds' },
      { item: must(direct[1]), outcome: 'authorization_used' },
    ]);
    const held = { status: 'pending', settlement: 'held', intentStatus: 'processing' };
    expect(await paymentRow(harness, must(items[0]).paymentId)).toMatchObject({
      ...held,
      refusal: 'insufficient_funds',
    });
    expect(await paymentRow(harness, must(items[1]).paymentId)).toMatchObject({ ...held, refusal: null });
    expect(await store.loadQueue(lease, ALL, 9)).toEqual([]);
  });

  test('an item whose reverted batch is not final is held, not failed', async () => {
    const { harness, store, lease, items } = await queued(1);
    const batch = await sendItems(harness, store, lease, items);
    await store.recordMined(lease, [{ batch, mined: minedAs(batch, 'reverted') }]);
    await store.recordUnsent(lease, [{ item: must(items[0]), outcome: 'expired' }]);
    expect(await paymentRow(harness, must(items[0]).paymentId)).toMatchObject({
      status: 'pending',
      settlement: 'held',
    });
  });

  test('the payments of a replaced batch are queued again, and its nonce may be stored again', async () => {
    const { harness, store, lease, items } = await queued(1);
    const batch = await sendItems(harness, store, lease, items);
    expect(await store.recordReplaced(lease, batch.id)).toBe(true);
    expect(await store.loadPendingBatches(lease)).toEqual([]);
    expect(await paymentRow(harness, must(items[0]).paymentId)).toMatchObject({
      settlement: 'queued',
      relayer: null,
      batch: null,
    });
    expect((await store.heartbeat(lease))?.nextNonce).toBe(batch.nonce + 1n);
  });

  test('deferred items are skipped until their time, and those behind them do not wait', async () => {
    const { harness, store, lease, items } = await queued(2);
    await store.defer(lease, items.slice(0, 1), harness.nowMs() + 2_000);
    expect((await store.loadQueue(lease, ALL, 9)).map(({ paymentId }) => paymentId)).toEqual([
      must(items[1]).paymentId,
    ]);
    harness.pass(2_000);
    expect(await store.loadQueue(lease, ALL, 9)).toHaveLength(2);
  });

  test('lanes of one duty share the queue without overlap; a lane with a lasting obstacle loses its share', async () => {
    const { harness, store, lease: one, items } = await queued(4);
    const two = await leaseOf(store, harness.lanes[1]);
    await leaseOf(harness.resolving, harness.recovery);
    const shareOf = async (lease: LaneLease) => (await store.heartbeat(lease))?.share;
    const shares = [await shareOf(one), await shareOf(two)];
    expect(shares.map((share) => share?.count)).toEqual([2, 2]);
    const taken = await Promise.all(shares.map((share) => store.loadQueue(one, must(share), 9)));
    expect(
      taken
        .flat()
        .map(({ paymentId }) => paymentId)
        .toSorted(),
    ).toEqual(items.map(({ paymentId }) => paymentId).toSorted());
    await store.noteObstacle(one, 'nonce_gap');
    harness.pass(2_999);
    expect(await shareOf(one)).toBeDefined();
    harness.pass(1);
    expect(await shareOf(one)).toBeUndefined();
    expect(await shareOf(two)).toEqual(ALL);
    await store.noteObstacle(one, null);
    expect(await shareOf(one)).toBeDefined();
  });

  test('a lane falls asleep only without work, and one with work and no heartbeat is found', async () => {
    const { harness, store, lease, items } = await queued(1);
    const found = async () => (await harness.findForgottenLanes(harness.nowMs() - 5_000)).map(({ relayer }) => relayer);
    expect(await store.fallAsleep(lease)).toBe(false);
    const batch = await sendItems(harness, store, lease, items);
    expect(await store.fallAsleep(lease)).toBe(false);
    await found();
    expect(await found()).toEqual([]);
    harness.pass(5_001);
    expect(await found()).toContain(lease.relayer);
    await store.heartbeat(lease);
    await store.recordMined(lease, [{ batch, mined: minedAs(batch, 'settled') }]);
    expect(await store.fallAsleep(lease)).toBe(true);
    harness.pass(60_000);
    expect(await found()).toEqual([]);
    await harness.queuePayment();
    expect(await found()).toContain(lease.relayer);
  });

  test('nonces used elsewhere are skipped only while no batch of the lane is pending', async () => {
    const { harness, store, lease, items } = await queued(1);
    const batch = await sendItems(harness, store, lease, items);
    const next = batch.nonce + 1n;
    await store.advanceNonce(lease, next, next + 3n);
    expect((await store.heartbeat(lease))?.nextNonce).toBe(next);
    await store.recordMined(lease, [{ batch, mined: minedAs(batch, 'settled') }]);
    await store.advanceNonce(lease, next + 1n, next + 3n);
    expect((await store.heartbeat(lease))?.nextNonce).toBe(next);
    await store.advanceNonce(lease, next, next + 3n);
    expect((await store.heartbeat(lease))?.nextNonce).toBe(next + 3n);
  });
}

/** How the settled amount is divided, as a payment's row has it. */
function sharesOfRow({
  settledAtomic,
  capAtomic,
  payout,
}: LaneItem): Pick<StoredRows['payments'][number], 'fee' | 'refund' | 'splits'> {
  const shareOf = (bps: number) => (settledAtomic * BigInt(bps)) / 10_000n;
  return {
    fee: shareOf(payout.feeBps),
    refund: capAtomic - settledAtomic,
    splits: payout.splits.map(({ to, bps }) => ({ recipient: to, amount: shareOf(bps).toString() })),
  };
}
