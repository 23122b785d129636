// What every LaneStore and FinalityStore guarantees of refunds: a lane carries them, and writes nothing about their payments.
import { expect, test } from 'vitest';
import type { LaneItem, MinedItem } from '../index.ts';
import {
  ALL,
  GAS_COST_ATOMIC,
  leaseOf,
  minedAs,
  must,
  type StoredRows,
  type StoreHarness,
  sendItems,
} from './store-harness.ts';

export function testRefundLane(create: () => Promise<StoreHarness>): void {
  /** A completed payment of a final batch, with a queued refund. */
  const queued = async () => {
    const harness = await create();
    const { settling: store, finality, network } = harness;
    const paymentId = await harness.queuePayment();
    const lease = await leaseOf(store, harness.lanes[0]);
    const paid = await sendItems(harness, store, lease, await store.loadQueue(lease, ALL, 9));
    await store.recordMined(lease, [{ batch: paid, mined: minedAs(paid, 'settled') }]);
    for (const batch of await finality.loadAgeingBatches(network, 1_000n, 9))
      await finality.recordFinal(batch, [], harness.nowMs());
    const refundId = await harness.queueRefund(paymentId);
    const [item] = await store.loadRefundQueue(lease, ALL, 9);
    return {
      harness,
      store,
      lease,
      finality,
      network,
      paymentId,
      refundId,
      item: must(item),
      before: await harness.read(),
    };
  };
  type Queued = Awaited<ReturnType<typeof queued>>;
  const refundRow = async ({ harness }: Pick<Queued, 'harness'>) => must((await harness.read()).refunds[0]);
  const send = ({ harness, store, lease }: Queued, items: readonly LaneItem[]) =>
    sendItems(harness, store, lease, items);
  /** What a refund in a lane must leave as it is. */
  const paymentsOf = ({ payments, entries, events }: StoredRows) => ({ payments, entries, events });

  test('a queued refund wakes a lane, and goes from the merchant’s wallet to the payer', async () => {
    const world = await queued();
    const { harness, store, lease, item, refundId, paymentId } = world;
    expect(item).toMatchObject({ paymentId, refund: { id: refundId } });
    expect(await store.peekQueue(lease, ALL, 9)).toMatchObject({ count: 0, refunds: true });
    expect(await store.fallAsleep(lease)).toBe(false);
    harness.pass(60_000);
    expect((await harness.findForgottenLanes(harness.nowMs() - 5_000)).map(({ relayer }) => relayer)).toContain(
      lease.relayer,
    );
    expect(await store.loadQueue(lease, ALL, 9)).toEqual([]);
  });

  test('lanes share the queue of refunds without overlap', async () => {
    const { store, lease } = await queued();
    const shares = [0, 1].map((index) => ({ index, count: 2 }));
    const loaded = await Promise.all(shares.map((share) => store.loadRefundQueue(lease, share, 9)));
    expect(loaded.flat()).toHaveLength(1);
  });

  test('a stored refund is sent and named by its transaction; its payment is untouched', async () => {
    const world = await queued();
    const { harness, store, lease, item, before } = world;
    const batch = await send(world, [item]);
    expect(batch.items).toEqual([item]);
    expect(await refundRow(world)).toMatchObject({
      status: 'sent',
      batch: batch.id,
      transaction: batch.transactions[0]?.transactionId,
    });
    expect(await store.loadRefundQueue(lease, ALL, 9)).toEqual([]);
    await store.recordSeen(lease, [{ batch, mined: minedAs(batch, 'settled') }]);
    expect(paymentsOf(await harness.read())).toEqual(paymentsOf(before));
  });

  test('a mined refund stays sent, costs gas that no budget counts, and is final with its batch', async () => {
    const world = await queued();
    const { harness, store, lease, finality, network, item, paymentId, before } = world;
    const batch = await send(world, [item]);
    const found = [{ batch, mined: minedAs(batch, 'settled') }];
    expect(await store.recordMined(lease, found)).toBe(true);
    const after = await harness.read();
    expect(await store.recordMined(lease, found)).toBe(true);
    expect(await harness.read()).toEqual(after);
    expect(after.refunds).toMatchObject([{ status: 'sent', batch: batch.id }]);
    expect(after.losses).toMatchObject([
      { batch: batch.id, payment: paymentId, cause: 'refund', amount: GAS_COST_ATOMIC },
    ]);
    expect(paymentsOf(after)).toEqual(paymentsOf(before));
    expect(await store.fallAsleep(lease)).toBe(true);
    const ageing = await finality.loadAgeingBatches(network, 1_000n, 9);
    expect(ageing.map(({ id, openItems }) => [id, openItems])).toEqual([[batch.id, []]]);
    await finality.recordFinal(must(ageing[0]), [], harness.nowMs());
    expect((await harness.read()).batches.find(({ id }) => id === batch.id)).toMatchObject({ status: 'finalized' });
    expect(paymentsOf(await harness.read())).toEqual(paymentsOf(before));
  });

  test.for<MinedItem['outcome']>(['reverted_alone', 'authorization_used', 'no_evidence', 'reverted'])(
    'a refund that its transaction leaves as %s is queued again, and waits',
    async (outcome) => {
      const world = await queued();
      const { harness, store, lease, item, before } = world;
      const batch = await send(world, [item]);
      await store.recordMined(lease, [{ batch, mined: minedAs(batch, outcome) }]);
      expect(await refundRow(world)).toMatchObject({ status: 'queued', batch: null, transaction: null });
      harness.pass(59_999);
      expect(await store.loadRefundQueue(lease, ALL, 9)).toEqual([]);
      expect(await store.peekQueue(lease, ALL, 9)).toMatchObject({ refunds: false });
      harness.pass(1);
      expect(await store.loadRefundQueue(lease, ALL, 9)).toHaveLength(1);
      const after = await harness.read();
      expect(after.losses).toMatchObject([{ cause: outcome, amount: GAS_COST_ATOMIC }]);
      expect(paymentsOf(after)).toEqual(paymentsOf(before));
    },
  );

  test('a refund that the simulation refuses stays queued with why, waits twice as long each time, and never fails', async () => {
    const world = await queued();
    const { harness, store, lease, item, before } = world;
    await store.recordUnsent(lease, [{ item, outcome: 'insufficient_funds' }]);
    expect(await refundRow(world)).toMatchObject({ status: 'queued', refusal: 'refund_insufficient_funds' });
    harness.pass(60_000);
    await store.recordUnsent(lease, [{ item, outcome: 'expired' }]);
    expect(await refundRow(world)).toMatchObject({ status: 'queued', refusal: 'refund_expired' });
    harness.pass(119_999);
    expect(await store.loadRefundQueue(lease, ALL, 9)).toEqual([]);
    harness.pass(1);
    expect(await store.loadRefundQueue(lease, ALL, 9)).toHaveLength(1);
    expect(paymentsOf(await harness.read())).toEqual(paymentsOf(before));
  });

  test('a deferred refund is skipped until its time, and a lease that was taken over changes nothing', async () => {
    const world = await queued();
    const { harness, store, lease, item } = world;
    await store.defer(lease, [item], harness.nowMs() + 2_000);
    expect(await store.loadRefundQueue(lease, ALL, 9)).toEqual([]);
    harness.pass(2_000);
    await leaseOf(store, lease);
    const before = await harness.read();
    await store.defer(lease, [item], harness.nowMs() + 60_000);
    expect(await store.recordUnsent(lease, [{ item, outcome: 'expired' }])).toBe(false);
    expect(await harness.read()).toEqual(before);
    expect(await store.loadRefundQueue(lease, ALL, 9)).toHaveLength(1);
  });

  test('the refund of a replaced batch is queued again at once', async () => {
    const world = await queued();
    const { store, lease, item } = world;
    const batch = await send(world, [item]);
    expect(await store.recordReplaced(lease, batch.id)).toBe(true);
    expect(await refundRow(world)).toMatchObject({ status: 'queued', batch: null, transaction: null });
    expect(await store.loadRefundQueue(lease, ALL, 9)).toHaveLength(1);
  });

  test('a mined refund whose block is gone is pending again with its gas reversed; its payment stays completed', async () => {
    const world = await queued();
    const { harness, store, lease, finality, item, before } = world;
    const batch = await send(world, [item]);
    await store.recordMined(lease, [{ batch, mined: minedAs(batch, 'settled') }]);
    const recorded = must(await finality.loadRecordedBatch(batch.id));
    expect([recorded.items.map(({ refund }) => refund?.id), recorded.settledIds.size]).toEqual([[world.refundId], 0]);
    expect(await finality.reverseBatch(batch.id, '0xb100', harness.nowMs())).toBe(true);
    const after = await harness.read();
    expect(after.losses.reduce((sum, { amount }) => sum + amount, 0n)).toBe(0n);
    expect(paymentsOf(after)).toEqual(paymentsOf(before));
    const [pending] = await store.loadPendingBatches(lease);
    expect(pending?.items.map(({ refund }) => refund?.id)).toEqual([world.refundId]);
    await store.recordMined(lease, [{ batch: must(pending), mined: minedAs(must(pending), 'settled') }]);
    expect((await harness.read()).losses.filter(({ live }) => live)).toMatchObject([{ cause: 'refund' }]);
  });
}
