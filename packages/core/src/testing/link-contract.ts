// What every store guarantees about the transaction that a pending payment names, and about the events that tell of it.
import { newId } from '@svc-pay/protocol/ids';
import { expect, test } from 'vitest';
import type { LaneLease, PendingBatch } from '../index.ts';
import { sampleActivation } from './sample-activation.ts';
import {
  ALL,
  holdPayment,
  leaseOf,
  minedAs,
  must,
  paymentRow,
  queuedItem,
  type StoreHarness,
  sendItems,
  signedBytes,
  strandMoney,
} from './store-harness.ts';

export function testLinks(create: () => Promise<StoreHarness>): void {
  /** One payment in a stored batch that nobody has sent yet. */
  const stored = async () => {
    const harness = await create();
    const paymentId = await harness.queuePayment();
    const store = harness.settling;
    const lease = await leaseOf(store, harness.lanes[0]);
    const items = await store.loadQueue(lease, ALL, 9);
    const { nextNonce: nonce } = must(await store.heartbeat(lease));
    const signed = signedBytes();
    const id = newId('batch', harness.nowMs());
    await store.storeBatches(lease, [{ id, nonce, signed, items }]);
    const pending = async () => must((await store.loadPendingBatches(lease))[0]);
    const { intent } = await paymentRow(harness, paymentId);
    const types = () => typesOf(harness, intent);
    return { harness, store, lease, paymentId, signed, pending, types, row: () => paymentRow(harness, paymentId) };
  };
  const attempt = (batch: PendingBatch, link: string, taken = true) => [{ batch, taken, link }];
  /** A fee bump that a node has taken. */
  const bump = async ({ store, lease, pending }: Awaited<ReturnType<typeof stored>>) => {
    const dearer = signedBytes();
    await store.storeTransaction(lease, (await pending()).id, dearer);
    await store.recordAttempts(lease, attempt(await pending(), dearer.transactionId));
    return dearer.transactionId;
  };

  test('a payment names no transaction before an attempt to send it, and is told of once after the first', async () => {
    const { store, lease, signed, pending, types, row } = await stored();
    expect(await row()).toMatchObject({ status: 'pending', transaction: null });
    expect(await types()).toEqual([]);
    await store.recordAttempts(lease, attempt(await pending(), signed.transactionId, false));
    expect(await row()).toMatchObject({ status: 'pending', transaction: signed.transactionId, split: null });
    expect(await pending()).toMatchObject({ status: 'signed', linkedTo: signed.transactionId });
    // The process stopped before it heard that this is recorded.
    await store.recordAttempts(lease, attempt(await pending(), signed.transactionId));
    expect(await pending()).toMatchObject({ status: 'broadcast' });
    expect(await types()).toEqual(['payment.created']);
  });

  test('a lease that was taken over links nothing, and the next one links once', async () => {
    const { store, lease: old, signed, pending, types, harness, row } = await stored();
    const lease = await leaseOf(store, old);
    const before = await harness.read();
    const batch = await pending();
    await store.recordAttempts(old, attempt(batch, signed.transactionId));
    expect(await store.recordSeen(old, [{ batch, mined: minedAs(batch, 'settled') }])).toBe(false);
    expect(await harness.read()).toEqual(before);
    await store.recordAttempts(lease, attempt(batch, signed.transactionId));
    expect(await row()).toMatchObject({ transaction: signed.transactionId });
    expect(await types()).toEqual(['payment.created']);
  });

  test('a payment that was mined before its attempt is recorded is told of with its result', async () => {
    const { store, lease, signed, pending, types, row } = await stored();
    const batch = await pending();
    await store.recordMined(lease, [{ batch, mined: minedAs(batch, 'settled') }]);
    // The attempt of the process that sent it arrives late.
    await store.recordAttempts(lease, attempt(batch, signed.transactionId));
    expect(await row()).toMatchObject({ status: 'completed', transaction: signed.transactionId });
    expect(await types()).toEqual(['payment.created', 'payment.completed']);
  });

  test('a fee bump changes the link; mined under the old hash, the payment names the old one again', async () => {
    const world = await stored();
    const { store, lease, signed, pending, types, row } = world;
    await store.recordAttempts(lease, attempt(await pending(), signed.transactionId));
    const dearer = await bump(world);
    expect(await row()).toMatchObject({ status: 'pending', transaction: dearer });
    const batch = await pending();
    await store.recordMined(lease, [{ batch, mined: minedAs(batch, 'settled') }]);
    expect(await row()).toMatchObject({ status: 'completed', transaction: signed.transactionId });
    expect(await types()).toEqual(['payment.created', 'payment.updated', 'payment.updated', 'payment.completed']);
  });

  test('in a block without enough confirmations it names its position, and no longer after it was sent again', async () => {
    const { store, lease, signed, pending, types, row } = await stored();
    await store.recordAttempts(lease, attempt(await pending(), signed.transactionId));
    const seen = async (blockHash: string) => {
      const batch = await pending();
      await store.recordSeen(lease, [{ batch, mined: minedAs(batch, 'settled', { blockHash }) }]);
    };
    await seen('0xb1');
    await seen('0xb2');
    expect(await pending()).toMatchObject({ linkedTo: signed.transactionId, seenIn: '0xb2' });
    expect(await row()).toMatchObject({ status: 'pending', split: `${signed.transactionId}:1` });
    expect(await types()).toEqual(['payment.created', 'payment.updated']);
    await store.recordAttempts(lease, attempt(await pending(), signed.transactionId));
    expect((await pending()).seenIn).toBeUndefined();
    expect(await row()).toMatchObject({ status: 'pending', transaction: signed.transactionId, split: null });
    const batch = await pending();
    await store.recordMined(lease, [{ batch, mined: minedAs(batch, 'settled') }]);
    expect((await types()).slice(2)).toEqual(['payment.updated', 'payment.completed']);
  });

  test('a payment whose batch can never be mined names none, then its next transaction', async () => {
    const { harness, store, lease, paymentId, signed, pending, types, row } = await stored();
    await store.recordAttempts(lease, attempt(await pending(), signed.transactionId));
    expect(await store.recordReplaced(lease, (await pending()).id)).toBe(true);
    expect(await row()).toMatchObject({ status: 'pending', settlement: 'queued', transaction: null });
    const batch = await sendItems(harness, store, lease, [await queuedItem(harness, paymentId)]);
    expect(await row()).toMatchObject({ transaction: must(batch.transactions[0]).transactionId });
    expect(await types()).toEqual(['payment.created', 'payment.updated', 'payment.updated']);
  });

  test('a payment that expires after its batch was given up fails without a transaction', async () => {
    const { harness, store, lease, paymentId, signed, pending, types, row } = await stored();
    await store.recordAttempts(lease, attempt(await pending(), signed.transactionId));
    await store.recordReplaced(lease, (await pending()).id);
    await store.recordUnsent(lease, [{ item: await queuedItem(harness, paymentId), outcome: 'expired' }]);
    expect(await row()).toMatchObject({ status: 'failed', transaction: null });
    expect(await types()).toEqual(['payment.created', 'payment.updated', 'payment.failed']);
  });

  test('payments of a reverted batch name none, and each only that of its own next batch', async () => {
    const { harness, lease, ids } = await queued(create, 2);
    const store = harness.settling;
    const batch = await sendItems(harness, store, lease, await store.loadQueue(lease, ALL, 9));
    await store.recordMined(lease, [{ batch, mined: minedAs(batch, 'reverted') }]);
    for (const id of ids)
      expect(await paymentRow(harness, id)).toMatchObject({ settlement: 'queued', transaction: null });
    const [first, second] = ids;
    const next = await sendItems(harness, store, lease, [await queuedItem(harness, must(first))]);
    expect(await paymentRow(harness, must(first))).toMatchObject({
      transaction: must(next.transactions[0]).transactionId,
    });
    expect(await paymentRow(harness, must(second))).toMatchObject({ transaction: null });
  });

  test('a payment that did not settle names the transaction that was mined, and fails with it', async () => {
    const world = await stored();
    const { harness, store, lease, signed, pending, types, row } = world;
    await store.recordAttempts(lease, attempt(await pending(), signed.transactionId));
    await bump(world);
    const batch = await pending();
    await store.recordMined(lease, [{ batch, mined: minedAs(batch, 'insufficient_funds') }]);
    expect(await row()).toMatchObject({ status: 'pending', transaction: signed.transactionId });
    const [final] = await harness.finality.loadAgeingBatches(harness.network, 1_000n, 9);
    await harness.finality.recordFinal(must(final), ['insufficient_funds'], harness.nowMs());
    expect(await row()).toMatchObject({ status: 'failed', transaction: signed.transactionId });
    expect((await types()).slice(2)).toEqual(['payment.updated', 'payment.failed']);
  });

  test('payments of a reverted batch name none, also where the batch does not say that they name one', async () => {
    const { store, lease, signed, pending, row } = await stored();
    await store.recordAttempts(lease, attempt(await pending(), signed.transactionId));
    // As after a restore, or of a batch that an older release recorded.
    const { linkedTo: _, ...batch } = await pending();
    await store.recordMined(lease, [{ batch, mined: minedAs(batch, 'reverted') }]);
    expect(await row()).toMatchObject({ status: 'pending', settlement: 'queued', transaction: null });
  });

  test.for([
    ['insufficient_funds', 'none'],
    ['authorization_used', 'the transaction in the block'],
  ] as const)('a direct payment that is held because of %s names %s', async ([outcome, named]) => {
    const { harness, store, lease, signed, pending, row } = await stored();
    await store.recordAttempts(lease, attempt(await pending(), signed.transactionId));
    const batch = await pending();
    await store.recordMined(lease, [{ batch, mined: minedAs(batch, outcome) }]);
    const final = must((await harness.finality.loadAgeingBatches(harness.network, 1_000n, 9))[0]);
    const openItems = final.openItems.map((item) => ({
      ...item,
      payout: { ...item.payout, direct: sampleActivation() },
    }));
    await harness.finality.recordFinal({ ...final, openItems }, [outcome], harness.nowMs());
    const transaction = named === 'none' ? null : signed.transactionId;
    expect(await row()).toMatchObject({ status: 'pending', settlement: 'held', transaction });
  });

  test('a payment of stranded money names what was mined, and none when its transfer goes again', async () => {
    const harness = await create();
    const paymentId = await harness.queuePayment();
    await strandMoney(harness, await holdPayment(harness, paymentId));
    const { resolving: store, finality, network, nowMs } = harness;
    const row = () => paymentRow(harness, paymentId);
    const lease = await leaseOf(store, harness.recovery);
    const sent = await sendItems(harness, store, lease, await store.loadQueue(lease, ALL, 9));
    const { transactionId } = must(sent.transactions[0]);
    const dearer = signedBytes();
    await store.storeTransaction(lease, sent.id, dearer);
    await store.recordAttempts(lease, attempt(sent, dearer.transactionId));
    const batch = must((await store.loadPendingBatches(lease))[0]);
    const seen = minedAs(batch, 'settled', { transactionId: dearer.transactionId });
    await store.recordSeen(lease, [{ batch, mined: seen }]);
    expect(await row()).toMatchObject({ transaction: dearer.transactionId, split: `${dearer.transactionId}:1` });
    await store.recordMined(lease, [{ batch, mined: minedAs(batch, 'reverted') }]);
    expect(await row()).toMatchObject({ status: 'pending', transaction: transactionId, split: null });
    await finality.recordFinal(must((await finality.loadAgeingBatches(network, 1_000n, 9))[0]), [], nowMs());
    expect(await row()).toMatchObject({ status: 'pending', transaction: null, split: null });
    const item = must((await store.loadQueue(lease, ALL, 9))[0]);
    await store.recordUnsent(lease, [{ item, outcome: 'payout_inactive' }]);
    expect(await row()).toMatchObject({ status: 'failed', transaction: null, split: null });
    const updated = Array.from({ length: 4 }, () => 'payment.updated');
    expect(await typesOf(harness, (await row()).intent)).toEqual(['payment.created', ...updated, 'payment.failed']);
  });

  test('a reorg makes the payment pending under the same transaction, and it completes once more', async () => {
    const { harness, store, lease, signed, pending, types, row } = await stored();
    await store.recordAttempts(lease, attempt(await pending(), signed.transactionId));
    const batch = await pending();
    const mined = minedAs(batch, 'settled');
    await store.recordMined(lease, [{ batch, mined }]);
    expect(await harness.finality.reverseBatch(batch.id, mined.blockHash, harness.nowMs())).toBe(true);
    expect(await row()).toMatchObject({ status: 'pending', transaction: signed.transactionId, split: null });
    expect(await pending()).toMatchObject({ linkedTo: signed.transactionId });
    await store.recordMined(lease, [{ batch: await pending(), mined: { ...mined, blockHash: '0xb101' } }]);
    const completed = ['payment.completed', 'payment.updated', 'payment.completed'];
    expect(await types()).toEqual(['payment.created', ...completed]);
  });
}

async function queued(create: () => Promise<StoreHarness>, count: number) {
  const harness = await create();
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) ids.push(await harness.queuePayment());
  const lease: LaneLease = await leaseOf(harness.settling, harness.lanes[0]);
  return { harness, lease, ids };
}

/** Types of the intent's events after its creation. Their sequence has no gap. */
async function typesOf(harness: StoreHarness, intent: string): Promise<readonly string[]> {
  const events = (await harness.read()).events
    .filter((event) => event.intent === intent)
    .toSorted((one, other) => one.sequence - other.sequence);
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + (events[0]?.sequence ?? 1)));
  return events.map(({ type }) => type).filter((type) => type.startsWith('payment.'));
}
