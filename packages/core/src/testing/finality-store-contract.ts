// What every FinalityStore guarantees.
import { expect, test } from 'vitest';
import type { AgeingBatch, MinedItem, PendingBatch, RecordedBatch, UnsettledOutcome } from '../index.ts';
import {
  ALL,
  GAS_COST_ATOMIC,
  holdPayment,
  leaseOf,
  minedAs,
  must,
  paymentRow,
  type StoredRows,
  type StoreHarness,
  sendItems,
  strandMoney,
  sumOf,
} from './store-harness.ts';

const BLOCK = '0xb100';

export function testFinalityStore(create: () => Promise<StoreHarness>): void {
  /** A batch of one lane, mined with these outcomes. */
  const mined = async (outcomes: readonly MinedItem['outcome'][], given?: StoreHarness) => {
    const harness = given ?? (await create());
    const { settling, lanes } = harness;
    for (const _ of outcomes) await harness.queuePayment();
    const lease = await leaseOf(settling, lanes[0]);
    const batch = await sendItems(harness, settling, lease, await settling.loadQueue(lease, ALL, outcomes.length));
    await settling.recordMined(lease, [{ batch, mined: minedAs(batch, outcomes) }]);
    return { harness, batch, lease };
  };
  const ageing = async (
    { finality, network }: StoreHarness,
    { id }: Pick<PendingBatch, 'id'>,
  ): Promise<AgeingBatch> => {
    const found = (await finality.loadAgeingBatches(network, 1_000n, 100)).find((one) => one.id === id);
    if (found === undefined) throw new Error(`batch ${id} is not ageing`);
    return found;
  };
  const recorded = async ({ finality }: StoreHarness, { id }: Pick<PendingBatch, 'id'>): Promise<RecordedBatch> => {
    const found = await finality.loadRecordedBatch(id);
    if (found === undefined) throw new Error(`batch ${id} is not recorded`);
    return found;
  };
  /** A stranded transfer with this action, settled or returned by a mined batch. */
  const resolved = async (action: 'settle' | 'return', outcomes?: readonly MinedItem['outcome'][]) => {
    const harness = await create();
    const paymentId = await harness.queuePayment();
    const held = await holdPayment(harness, paymentId);
    if (action === 'return') await harness.stranded.failHeld(held, 'intent_not_payable', harness.nowMs());
    expect(await strandMoney(harness, held)).toBe(action);
    const lease = await leaseOf(harness.resolving, harness.recovery);
    const items = await harness.resolving.loadQueue(lease, ALL, 9);
    const batch = await sendItems(harness, harness.resolving, lease, items);
    await harness.resolving.recordMined(lease, [{ batch, mined: minedAs(batch, outcomes ?? 'settled') }]);
    return { harness, paymentId, batch, lease, capAtomic: held.item.capAtomic };
  };
  const gasOf = ({ entries, losses }: StoredRows) =>
    [...entries.filter(({ party }) => party === 'network'), ...losses].reduce((sum, { amount }) => sum + amount, 0n);

  test.for<[UnsettledOutcome, string, string]>([
    ['insufficient_funds', 'failed', 'failed'],
    ['reverted_alone', 'failed', 'failed'],
    ['no_evidence', 'held', 'pending'],
    ['nothing_arrived', 'held', 'pending'],
    ['authorization_used', 'held', 'pending'],
    ['intent_already_settled', 'held', 'pending'],
    ['not_yet_valid', 'queued', 'pending'],
  ])('an item that a final block shows as %s is %s', async ([outcome, settlement, status]) => {
    const { harness, batch } = await mined([outcome]);
    await harness.finality.recordFinal(await ageing(harness, batch), [outcome], harness.nowMs());
    expect(await paymentRow(harness, must(batch.items[0]).paymentId)).toMatchObject({ settlement, status });
    expect((await harness.read()).batches).toMatchObject([{ status: 'finalized' }]);
  });

  test('final once: a second record changes nothing, and outcomes of another number of items are refused', async () => {
    const { harness, batch } = await mined(['expired', 'no_evidence']);
    const open = await ageing(harness, batch);
    const before = await harness.read();
    await expect(harness.finality.recordFinal(open, ['expired'], harness.nowMs())).rejects.toThrow(batch.id);
    expect(await harness.read()).toEqual(before);
    await harness.finality.recordFinal(open, ['expired', 'no_evidence'], harness.nowMs());
    const after = await harness.read();
    expect(after).not.toEqual(before);
    await harness.finality.recordFinal(open, ['no_evidence', 'expired'], harness.nowMs());
    expect(await harness.read()).toEqual(after);
  });

  test('settled batches are final by one statement, once; a batch with a transfer to queue again is left to its own record', async () => {
    const harness = await create();
    const { finality } = harness;
    const batches = [(await mined(['settled'], harness)).batch, (await mined(['settled', 'settled'], harness)).batch];
    const ids = batches.map(({ id }) => id);
    const before = await harness.read();
    expect(await finality.recordSettledFinal([...ids, 'bat_unknown'], harness.nowMs())).toEqual(
      expect.arrayContaining(ids),
    );
    const after = await harness.read();
    expect(after.batches.map(({ status }) => status)).toEqual(['finalized', 'finalized']);
    expect({ ...after, batches: [] }).toEqual({ ...before, batches: [] });
    expect(await finality.recordSettledFinal(ids, harness.nowMs())).toEqual([]);

    const stranded = await resolved('settle', ['pull_refused']);
    expect(await stranded.harness.finality.recordSettledFinal([stranded.batch.id], harness.nowMs())).toEqual([]);
    await stranded.harness.finality.recordFinal(await ageing(stranded.harness, stranded.batch), [], harness.nowMs());
    expect((await stranded.harness.read()).batches.at(-1)).toMatchObject({ status: 'finalized' });
  });

  test('an item is held instead of failed while another reverted batch of it is not final', async () => {
    const { harness, batch: first, lease } = await mined(['reverted']);
    const { settling, finality } = harness;
    const second = await sendItems(harness, settling, lease, await settling.loadQueue(lease, ALL, 9));
    const place = { blockNumber: 101n, blockHash: '0xb101' };
    await settling.recordMined(lease, [{ batch: second, mined: minedAs(second, 'expired', place) }]);
    await finality.recordFinal(await ageing(harness, second), ['expired'], harness.nowMs());
    expect(await paymentRow(harness, must(second.items[0]).paymentId)).toMatchObject({
      settlement: 'held',
      status: 'pending',
    });
    await finality.recordFinal(await ageing(harness, first), [], harness.nowMs());
    expect((await harness.read()).batches.map(({ status }) => status)).toEqual(['finalized', 'finalized']);
  });

  test('batches age in nonce order, page by page without gap or repetition, also with equal nonces', async () => {
    const harness = await create();
    const { settling, lanes, finality, network } = harness;
    for (let index = 0; index < 6; index += 1) await harness.queuePayment();
    const items = await settling.loadQueue(lanes[0], ALL, 9);
    for (const [index, item] of items.entries()) {
      const lease = await leaseOf(settling, must(lanes[index % 2]));
      const batch = await sendItems(harness, settling, lease, [item]);
      await settling.recordMined(lease, [{ batch, mined: minedAs(batch, 'settled') }]);
    }
    const all = await finality.loadAgeingBatches(network, 100n, 100);
    expect(all).toHaveLength(6);
    const paged: string[] = [];
    for (;;) {
      const page = await finality.loadAgeingBatches(network, 100n, 2, paged.at(-1));
      if (page.length === 0) break;
      paged.push(...page.map(({ id }) => id));
    }
    expect(paged).toEqual(all.map(({ id }) => id));
    expect(await finality.loadAgeingBatches(network, 99n, 100)).toEqual([]);
    expect(await finality.loadBatchBlocks(network, 99n, 100)).toHaveLength(6);
    expect(await finality.loadBatchBlocks(network, 100n, 100)).toEqual([]);
  });

  test('a reversed batch takes payments, books and losses back, tells the merchant, and is pending again', async () => {
    const { harness, batch, lease } = await mined(['settled', 'expired']);
    const before = await harness.read();
    expect(await harness.finality.reverseBatch(batch.id, '0xother', harness.nowMs())).toBe(false);
    expect(await harness.read()).toEqual(before);
    expect(await harness.finality.reverseBatch(batch.id, BLOCK, harness.nowMs())).toBe(true);
    const after = await harness.read();
    for (const { paymentId } of batch.items) {
      expect(await paymentRow(harness, paymentId)).toMatchObject({
        status: 'pending',
        settlement: 'batched',
        intentStatus: 'processing',
        paid: null,
        fee: null,
        refund: null,
        splits: null,
      });
      expect(after.entries.filter(({ payment, live }) => payment === paymentId && live)).toEqual([]);
      for (const account of ['payer', 'merchant', 'platform_fee', 'network_cost'])
        expect(sumOf(after, paymentId, account)).toBe(0n);
    }
    expect(after.losses.filter(({ live }) => live)).toEqual([]);
    expect(gasOf(after)).toBe(0n);
    expect(after.events.length).toBe(before.events.length + 1);
    expect(after.events.some(({ type }) => type === 'payment.updated')).toBe(true);
    const [pending] = await harness.settling.loadPendingBatches(lease);
    expect(pending).toMatchObject({ id: batch.id, status: 'broadcast', nonce: batch.nonce });
    expect(pending?.items.map(({ paymentId }) => paymentId)).toEqual(batch.items.map(({ paymentId }) => paymentId));
    expect(await harness.finality.reverseBatch(batch.id, BLOCK, harness.nowMs())).toBe(false);
    expect(await harness.read()).toEqual(after);
  });

  test('a reversed batch that is mined again completes its payments once more, with the books of one completion', async () => {
    const { harness, batch, lease } = await mined(['settled', 'settled']);
    const booked = (await harness.read()).entries.filter(({ live }) => live);
    await harness.finality.reverseBatch(batch.id, BLOCK, harness.nowMs());
    const [pending] = await harness.settling.loadPendingBatches(lease);
    const place = { blockNumber: 102n, blockHash: '0xb102' };
    const again = [{ batch: must(pending), mined: minedAs(must(pending), 'settled', place) }];
    expect(await harness.settling.recordMined(lease, again)).toBe(true);
    const after = await harness.read();
    const plain = (entries: StoredRows['entries']) =>
      entries.map(({ payment, account, amount }) => `${payment} ${account} ${amount}`).toSorted();
    expect(plain(after.entries.filter(({ live }) => live))).toEqual(plain(booked));
    expect(gasOf(after)).toBe(GAS_COST_ATOMIC);
    expect(after.payments.every(({ status }) => status === 'completed')).toBe(true);
  });

  test('a moved batch keeps its payments completed, tells nobody, and is booked at its new block', async () => {
    const { harness, batch } = await mined(['settled', 'expired']);
    const before = await harness.read();
    const record = await recorded(harness, batch);
    expect([...record.settledIds]).toEqual([must(batch.items[0]).paymentId]);
    const place = { blockNumber: 103n, blockHash: '0xb103', gasCostAtomic: 777n };
    const moved = minedAs(batch, ['settled', 'expired'], place);
    const options = { nowMs: harness.nowMs(), gasCoin: undefined };
    expect(await harness.finality.moveBatch(record, '0xother', moved, options)).toBe(false);
    expect(await harness.read()).toEqual(before);
    expect(await harness.finality.moveBatch(record, BLOCK, moved, options)).toBe(true);
    const after = await harness.read();
    expect(after.payments).toEqual(before.payments);
    expect(after.events).toEqual(before.events);
    expect(gasOf(after)).toBe(777n);
    expect(sumOf(after, must(batch.items[0]).paymentId, 'payer')).toBe(-must(batch.items[0]).capAtomic);
    expect(await harness.finality.reverseBatch(batch.id, BLOCK, harness.nowMs())).toBe(false);
    expect(await harness.finality.reverseBatch(batch.id, '0xb103', harness.nowMs())).toBe(true);
    expect(gasOf(await harness.read())).toBe(0n);
  });

  test('a final batch is neither taken back nor moved, so that what is refunded of it stays paid', async () => {
    const { harness, batch } = await mined(['settled']);
    const record = await recorded(harness, batch);
    await harness.finality.recordFinal(await ageing(harness, batch), [], harness.nowMs());
    const before = await harness.read();
    expect(await harness.finality.loadRecordedBatch(batch.id)).toBeUndefined();
    expect(await harness.finality.reverseBatch(batch.id, BLOCK, harness.nowMs())).toBe(false);
    const moved = minedAs(batch, ['settled'], { blockNumber: 103n, blockHash: '0xb103', gasCostAtomic: 777n });
    const options = { nowMs: harness.nowMs(), gasCoin: undefined };
    expect(await harness.finality.moveBatch(record, BLOCK, moved, options)).toBe(false);
    expect(await harness.read()).toEqual(before);
  });

  test('a reversed settlement of stranded money leaves the payment held and the money stranded', async () => {
    const { harness, paymentId, batch, capAtomic } = await resolved('settle');
    expect(sumOf(await harness.read(), paymentId, 'stranded')).toBe(0n);
    await harness.finality.reverseBatch(batch.id, BLOCK, harness.nowMs());
    expect(await paymentRow(harness, paymentId)).toMatchObject({ status: 'pending', settlement: 'held' });
    const after = await harness.read();
    expect(after.stranded).toMatchObject([{ status: 'batched', action: 'settle' }]);
    expect(sumOf(after, paymentId, 'stranded')).toBe(capAtomic);
    expect(sumOf(after, paymentId, 'payer')).toBe(-capAtomic);
  });

  test('a reversed return takes its entries back, and the payment stays failed', async () => {
    const { harness, paymentId, batch, lease, capAtomic } = await resolved('return');
    const done = await harness.read();
    expect(sumOf(done, paymentId, 'refund')).toBe(capAtomic);
    await harness.finality.reverseBatch(batch.id, BLOCK, harness.nowMs());
    const after = await harness.read();
    expect(await paymentRow(harness, paymentId)).toMatchObject({ status: 'failed', settlement: 'failed' });
    expect(sumOf(after, paymentId, 'refund')).toBe(0n);
    expect(sumOf(after, paymentId, 'stranded')).toBe(capAtomic);
    expect(after.events).toEqual(done.events);
    const [pending] = await harness.resolving.loadPendingBatches(lease);
    await harness.resolving.recordMined(lease, [{ batch: must(pending), mined: minedAs(must(pending), 'settled') }]);
    const again = await harness.read();
    expect(sumOf(again, paymentId, 'refund')).toBe(capAtomic);
    expect(sumOf(again, paymentId, 'stranded')).toBe(0n);
    expect(again.stranded).toMatchObject([{ status: 'done' }]);
  });

  test('a moved return is booked again at its new block, and no payment changes', async () => {
    const { harness, paymentId, batch, capAtomic } = await resolved('return');
    const before = await harness.read();
    const moved = minedAs(batch, 'settled', { blockNumber: 104n, blockHash: '0xb104', gasCostAtomic: 555n });
    const options = { nowMs: harness.nowMs(), gasCoin: undefined };
    expect(await harness.finality.moveBatch(await recorded(harness, batch), BLOCK, moved, options)).toBe(true);
    const after = await harness.read();
    expect(after.payments).toEqual(before.payments);
    expect(sumOf(after, paymentId, 'refund')).toBe(capAtomic);
    expect(gasOf(after)).toBe(555n);
  });
}
