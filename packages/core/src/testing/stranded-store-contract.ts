// What every StrandedStore guarantees, and the LaneStore of lanes that settle and return stranded transfers.
import { expect, test } from 'vitest';
import { type ClaimedPayment, FIRST_AUTHORIZATION, type HeldMoney, type OpenAuthorization } from '../index.ts';
import {
  ALL,
  GAS_COST_ATOMIC,
  holdPayment,
  leaseOf,
  minedAs,
  must,
  openAuthorizations,
  paymentRow,
  queuedItem,
  type StoreHarness,
  sendItems,
  signedBytes,
  strandMoney,
  sumOf,
} from './store-harness.ts';

const POSITION = { transactionId: '0xstranded', logIndex: 3 };

export function testStrandedStore(create: () => Promise<StoreHarness>): void {
  const held = async () => {
    const harness = await create();
    const paymentId = await harness.queuePayment();
    return { harness, paymentId, payment: await holdPayment(harness, paymentId) };
  };
  /** An up-to authorization whose money is stranded before the merchant decides. */
  const waiting = async (given?: StoreHarness) => {
    const harness = given ?? (await create());
    const intentId = await harness.confirmUpto();
    const open = (await openAuthorizations(harness)).find((one) => one.intentId === intentId) as OpenAuthorization;
    const { stranded, network, nowMs } = harness;
    expect(await stranded.recordStranding({ ...open, network, item: null, position: POSITION }, nowMs())).toBe('hold');
    const all = await stranded.loadHeldMoney(network, 0n, 1_000);
    const money = all.find((one) => one.intentId === intentId) as HeldMoney;
    const decide = () => stranded.decideHeldMoney(network, money, nowMs());
    return { harness, intentId, money, decide, capAtomic: open.capAtomic };
  };
  const transfersOf = async ({ resolving, recovery }: StoreHarness) => resolving.loadQueue(recovery, ALL, 100);
  /** The payment is in a batch that reverted and may be in another block; a watcher finds it held. */
  const heldAfterRevert = async () => {
    const harness = await create();
    const paymentId = await harness.queuePayment();
    const { settling, lanes } = harness;
    const lease = await leaseOf(settling, lanes[0]);
    const batch = await sendItems(harness, settling, lease, [await queuedItem(harness, paymentId)]);
    await settling.recordMined(lease, [{ batch, mined: minedAs(batch, 'reverted') }]);
    return { harness, paymentId, batch, payment: await holdPayment(harness, paymentId) };
  };

  test('stranded money completes a held payment, goes back from a failed one, and is booked once', async () => {
    const { harness, paymentId, payment } = await held();
    expect(await strandMoney(harness, payment)).toBe('settle');
    const after = await harness.read();
    expect(sumOf(after, paymentId, 'payer')).toBe(-payment.item.capAtomic);
    expect(sumOf(after, paymentId, 'stranded')).toBe(payment.item.capAtomic);
    expect(await strandMoney(harness, payment, '0xelsewhere')).toBeUndefined();
    expect(await harness.read()).toEqual(after);
    const failed = await holdPayment(harness, await harness.queuePayment());
    await harness.stranded.failHeld(failed, 'authorization_already_used', harness.nowMs());
    expect(await strandMoney(harness, failed)).toBe('return');
  });

  test.for(['queued', 'batched', 'mined', 'completed'])(
    'nothing is recorded as stranded for a payment that is %s',
    async (status) => {
      const harness = await create();
      const { settling, lanes, stranded } = harness;
      const paymentId = await harness.queuePayment();
      const lease = await leaseOf(settling, lanes[0]);
      const item = await queuedItem(harness, paymentId);
      if (status !== 'queued') {
        const batch = await sendItems(harness, settling, lease, [item]);
        const outcome = status === 'completed' ? 'settled' : 'expired';
        if (status !== 'batched') await settling.recordMined(lease, [{ batch, mined: minedAs(batch, outcome) }]);
      }
      expect((await paymentRow(harness, paymentId)).settlement).toBe(status);
      const named = [{ accountId: item.accountId, mode: item.mode, paymentId }];
      const claimed = (await stranded.loadClaimedPayments(named)).get(paymentId) as ClaimedPayment;
      expect(claimed.settlement).toBe(status);
      const before = await harness.read();
      expect(await strandMoney(harness, claimed)).toBeUndefined();
      expect(await harness.read()).toEqual(before);
    },
  );

  test('a recorded stranding closes its authorization, and its payment is no longer looked at as held', async () => {
    const { harness, paymentId, payment } = await held();
    const isOpen = async () => (await openAuthorizations(harness)).some((one) => one.paymentId === paymentId);
    expect(await isOpen()).toBe(true);
    await strandMoney(harness, payment);
    expect(await isOpen()).toBe(false);
    expect(await harness.stranded.loadHeldPayments(harness.network, 0n, 100)).toEqual([]);
  });

  test('money of an up-to intent waits while the merchant may settle, and nothing is booked', async () => {
    const { harness, decide } = await waiting();
    const before = await harness.read();
    expect(before.entries).toEqual([]);
    expect(await decide()).toBeUndefined();
    expect(await harness.read()).toEqual(before);
    expect(await transfersOf(harness)).toEqual([]);
  });

  test('a merchant who settles gets the stranded money: no lane sends the payment', async () => {
    const { harness, intentId, decide, capAtomic } = await waiting();
    const paymentId = await harness.settleUpto(intentId, capAtomic - 7n);
    expect(await decide()).toEqual({ intentId, paymentId, action: 'settle' });
    expect(await paymentRow(harness, paymentId)).toMatchObject({ settlement: 'held', status: 'pending' });
    expect(await harness.settling.loadQueue(harness.lanes[0], ALL, 9)).toEqual([]);
    expect(await transfersOf(harness)).toMatchObject([
      { paymentId, settledAtomic: capAtomic - 7n, strandedTransfer: { action: 'settle', ...POSITION } },
    ]);
    expect(sumOf(await harness.read(), paymentId, 'stranded')).toBe(capAtomic);
    expect(await harness.stranded.loadHeldMoney(harness.network, 0n, 9)).toEqual([]);
  });

  test('the money of a payment that a lane sends stays undecided', async () => {
    const { harness, intentId, decide, capAtomic } = await waiting();
    const paymentId = await harness.settleUpto(intentId, capAtomic);
    const lease = await leaseOf(harness.settling, harness.lanes[0]);
    await sendItems(harness, harness.settling, lease, [await queuedItem(harness, paymentId)]);
    const before = await harness.read();
    expect(await decide()).toBeUndefined();
    expect(await harness.read()).toEqual(before);
  });

  test('the money of a canceled intent goes back whole, by a canceled payment that the intent does not name', async () => {
    const { harness, intentId, decide, capAtomic } = await waiting();
    await harness.cancelIntent(intentId);
    const decided = await decide();
    expect(decided).toMatchObject({ intentId, action: 'return' });
    const paymentId = must(decided).paymentId;
    expect(await paymentRow(harness, paymentId)).toMatchObject({
      status: 'canceled',
      settlement: 'canceled',
      intentStatus: 'canceled',
      named: false,
    });
    const { events } = await harness.read();
    const told = events.filter(({ intent, type }) => intent === intentId && type.startsWith('payment.'));
    expect(told.map(({ type }) => type)).toEqual(['payment.created', 'payment.cancelled']);
    expect(sumOf(await harness.read(), paymentId, 'stranded')).toBe(capAtomic);
    expect(await transfersOf(harness)).toMatchObject([
      { paymentId, capAtomic, strandedTransfer: { action: 'return' } },
    ]);
    await expect(decide()).rejects.toThrow(intentId);
  });

  test('held money is read page by page: what stays undecided never hides what is behind it', async () => {
    const harness = await create();
    for (let index = 0; index < 5; index += 1) await waiting(harness);
    const { stranded, network } = harness;
    const all = await stranded.loadHeldMoney(network, 0n, 100);
    const first = await stranded.loadHeldMoney(network, 0n, 3);
    const second = await stranded.loadHeldMoney(network, must(first.at(-1)).number, 3);
    expect([...first, ...second]).toEqual(all);
    expect(all).toHaveLength(5);
  });

  test('held payments are read page by page', async () => {
    const harness = await create();
    for (let index = 0; index < 5; index += 1) await holdPayment(harness, await harness.queuePayment());
    const { stranded, network } = harness;
    const all = await stranded.loadHeldPayments(network, 0n, 100);
    const first = await stranded.loadHeldPayments(network, 0n, 3);
    const second = await stranded.loadHeldPayments(network, must(first.at(-1)).item.number, 3);
    expect([...first, ...second]).toEqual(all);
    expect(all).toHaveLength(5);
  });

  test('a recorded transaction completes a held payment once, which bears the loss that was booked for it', async () => {
    const { harness, paymentId, batch, payment } = await heldAfterRevert();
    const { stranded, finality, network, nowMs } = harness;
    const mined = minedAs(batch, 'settled', { blockNumber: 101n, blockHash: '0xb101' });
    expect(await stranded.completeHeld(network, payment, mined, undefined, nowMs())).toBe('completed');
    const after = await harness.read();
    expect(await paymentRow(harness, paymentId)).toMatchObject({
      status: 'completed',
      settlement: 'completed',
      intentStatus: 'completed',
      batch: batch.id,
      relayer: harness.lanes[0].relayer,
    });
    expect(after.losses.filter(({ live }) => live)).toEqual([]);
    const gas = after.entries.filter(({ party }) => party === 'network').reduce((sum, { amount }) => sum + amount, 0n);
    expect(gas).toBe(GAS_COST_ATOMIC);
    expect(sumOf(after, paymentId)).toBe(0n);
    expect(await stranded.completeHeld(network, payment, mined, undefined, nowMs())).toBe('in_flight');
    expect(await harness.read()).toEqual(after);
    expect((await finality.loadRecordedBatch(batch.id))?.settledIds).toEqual(new Set([paymentId]));
  });

  test('an unrecorded transaction, and one that did not settle, complete nothing', async () => {
    const { harness, batch, payment } = await heldAfterRevert();
    const { stranded, finality, network, nowMs } = harness;
    const before = await harness.read();
    const elsewhere = minedAs(batch, 'settled', { transactionId: '0xunknown' });
    expect(await stranded.completeHeld(network, payment, elsewhere, undefined, nowMs())).toBe('unrecorded');
    const unsettled = minedAs(batch, 'expired');
    expect(await stranded.completeHeld(network, payment, unsettled, undefined, nowMs())).toBe('unrecorded');
    expect(await harness.read()).toEqual(before);
    await finality.reverseBatch(batch.id, '0xb100', nowMs());
    const reversed = await harness.read();
    expect(await stranded.completeHeld(network, payment, minedAs(batch, 'settled'), undefined, nowMs())).toBe(
      'in_flight',
    );
    expect(await harness.read()).toEqual(reversed);
  });

  test('only a held payment fails by its authorization; its intent is payable again', async () => {
    const { harness, paymentId, payment } = await held();
    await harness.stranded.failHeld(payment, 'authorization_already_used', harness.nowMs());
    const after = await harness.read();
    expect(await paymentRow(harness, paymentId)).toMatchObject({ status: 'failed', intentStatus: 'requires_payment' });
    await expect(harness.stranded.failHeld(payment, 'intent_not_payable', harness.nowMs())).rejects.toThrow();
    expect(await harness.read()).toEqual(after);
  });

  test('a held payment is queued again, but not while a reverted batch of it may be mined', async () => {
    const { harness, paymentId, batch, payment } = await heldAfterRevert();
    const { stranded, finality, network, nowMs } = harness;
    await stranded.queueHeld([payment], nowMs());
    expect((await paymentRow(harness, paymentId)).settlement).toBe('held');
    const [ageing] = await finality.loadAgeingBatches(network, 1_000n, 9);
    expect(ageing?.id).toBe(batch.id);
    await finality.recordFinal(must(ageing), [], nowMs());
    await stranded.queueHeld([payment], nowMs());
    expect(await paymentRow(harness, paymentId)).toMatchObject({ settlement: 'queued', relayer: null, batch: null });
    await holdPayment(harness, paymentId);
    await stranded.failHeld(payment, 'intent_not_payable', nowMs());
    await stranded.queueHeld([payment], nowMs());
    expect((await paymentRow(harness, paymentId)).settlement).toBe('failed');
  });

  test('every transaction ever signed for a payment is known, fee bumps and reverted batches included', async () => {
    const harness = await create();
    const { settling, lanes, stranded } = harness;
    const paymentId = await harness.queuePayment();
    const lease = await leaseOf(settling, lanes[0]);
    const first = await sendItems(harness, settling, lease, [await queuedItem(harness, paymentId)]);
    const bump = signedBytes();
    await settling.storeTransaction(lease, first.id, bump);
    await settling.recordMined(lease, [{ batch: first, mined: minedAs(first, 'reverted') }]);
    const second = await sendItems(harness, settling, lease, [await queuedItem(harness, paymentId)]);
    const { accountId, mode } = must(second.items[0]);
    const claimed = await stranded.loadClaimedPayments([{ accountId, mode, paymentId }]);
    const signed = await stranded.loadSignedTransactions([...claimed.values()]);
    const ids = [first, second].flatMap(({ transactions }) => transactions.map(({ transactionId }) => transactionId));
    expect([...(signed.get(paymentId) ?? [])].toSorted()).toEqual([...ids, bump.transactionId].toSorted());
  });

  test('authorizations are read in the order of expiry, without gap or repetition, until they are closed', async () => {
    const harness = await create();
    const { stranded, network, nowMs } = harness;
    for (let index = 0; index < 5; index += 1) await harness.queuePayment();
    await harness.confirmUpto();
    const all = await openAuthorizations(harness);
    expect(all).toHaveLength(6);
    const expiries = all.map(({ validBeforeSeconds }) => validBeforeSeconds);
    expect(expiries).toEqual(expiries.toSorted((one, other) => (one < other ? -1 : 1)));
    const paged: OpenAuthorization[] = [];
    for (;;) {
      const page = await stranded.loadOpenAuthorizations(network, paged.at(-1) ?? FIRST_AUTHORIZATION, 2n ** 62n, 4);
      paged.push(...page);
      if (page.length < 4) break;
    }
    expect(paged).toEqual(all);
    expect(await stranded.loadOpenAuthorizations(network, FIRST_AUTHORIZATION, must(expiries[0]), 9)).toEqual([]);
    await stranded.closeAuthorizations(all.slice(1), nowMs());
    expect(await openAuthorizations(harness)).toEqual(all.slice(0, 1));
  });

  test('authorizations that no settlement is going to use are those of failed payments and of up-to intents', async () => {
    const harness = await create();
    const { stranded, settling, lanes, network, nowMs } = harness;
    const [first, second] = [await harness.queuePayment(), await harness.queuePayment()];
    await harness.confirmUpto();
    const unsettled = () => stranded.loadUnsettledAuthorizations(network, FIRST_AUTHORIZATION, 2n ** 62n, 1_000);
    const upto = await unsettled();
    expect(upto.map(({ settlement }) => settlement)).toEqual([null]);
    const lease = await leaseOf(settling, lanes[0]);
    await settling.recordUnsent(lease, [{ item: await queuedItem(harness, first), outcome: 'insufficient_funds' }]);
    const found = await unsettled();
    expect(found.filter(({ paymentId }) => paymentId === first).map(({ settlement }) => settlement)).toEqual([
      'failed',
    ]);
    expect(found.filter(({ paymentId }) => paymentId === second)).toEqual([]);
    expect(await stranded.loadUnsettledAuthorizations(network, must(found[0]), 2n ** 62n, 1_000)).toEqual(
      found.slice(1),
    );
    expect(await stranded.loadUnsettledAuthorizations(network, FIRST_AUTHORIZATION, 2n ** 62n, 1)).toEqual(
      found.slice(0, 1),
    );
    await stranded.closeAuthorizations(found, nowMs());
    expect(await unsettled()).toEqual([]);
  });

  test('a settled transfer completes its payment, and the money leaves the stranded account', async () => {
    const { harness, paymentId, payment } = await held();
    await strandMoney(harness, payment);
    const { resolving, recovery } = harness;
    const lease = await leaseOf(resolving, recovery);
    const batch = await sendItems(harness, resolving, lease, await transfersOf(harness));
    expect(await transfersOf(harness)).toEqual([]);
    const found = [{ batch, mined: minedAs(batch, 'settled') }];
    await resolving.recordMined(lease, found);
    const after = await harness.read();
    expect(await paymentRow(harness, paymentId)).toMatchObject({ status: 'completed', settlement: 'completed' });
    expect(after.stranded).toMatchObject([{ status: 'done', action: 'settle', reason: null }]);
    expect(sumOf(after, paymentId, 'stranded')).toBe(0n);
    expect(sumOf(after, paymentId, 'payer')).toBe(-payment.item.capAtomic);
    await resolving.recordMined(lease, found);
    expect(await harness.read()).toEqual(after);
  });

  test('a transfer that reverts goes again when that is final; the second revert in a row blocks it', async () => {
    const { harness, payment } = await held();
    await strandMoney(harness, payment);
    const { resolving, recovery, finality, network, nowMs } = harness;
    const lease = await leaseOf(resolving, recovery);
    const statuses: unknown[] = [];
    for (const blockHash of ['0xb1', '0xb2']) {
      const batch = await sendItems(harness, resolving, lease, await transfersOf(harness));
      await resolving.recordMined(lease, [{ batch, mined: minedAs(batch, 'reverted', { blockHash }) }]);
      statuses.push((await harness.read()).stranded.map(({ status }) => status));
      const [ageing] = await finality.loadAgeingBatches(network, 1_000n, 9);
      await finality.recordFinal(must(ageing), [], nowMs());
      statuses.push((await transfersOf(harness)).length);
    }
    expect(statuses).toEqual([['mined'], 1, ['blocked'], 0]);
    expect(await resolving.fallAsleep(lease)).toBe(true);
  });

  test('a transfer whose terms are refused fails its payment and goes back; one refused otherwise is blocked', async () => {
    const { harness, paymentId, payment } = await held();
    await strandMoney(harness, payment);
    const lease = await leaseOf(harness.resolving, harness.recovery);
    const [item] = await transfersOf(harness);
    await harness.resolving.recordUnsent(lease, [{ item: must(item), outcome: 'payout_inactive' }]);
    expect(await paymentRow(harness, paymentId)).toMatchObject({ status: 'failed', settlement: 'failed' });
    const [back] = await transfersOf(harness);
    expect(back).toMatchObject({ paymentId, strandedTransfer: { action: 'return' } });
    await harness.resolving.recordUnsent(lease, [{ item: must(back), outcome: 'payout_inactive' }]);
    expect(await transfersOf(harness)).toEqual([]);
    expect((await harness.read()).stranded).toMatchObject([{ status: 'blocked', reason: 'payout_inactive' }]);
  });
}
