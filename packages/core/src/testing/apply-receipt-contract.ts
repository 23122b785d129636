// What an apply store makes of the events of a processor.
import { describe, expect, test } from 'vitest';
import type { ProcessorLog } from '../index.ts';
import type { ApplyHarness } from './apply-harness.ts';
import { applied, BLOCK, finalOf, liveOf, paymentOf, positionAt, receivedLog, typesOf } from './final-logs.ts';
import { ALL, leaseOf, minedAs, must, sendItems } from './store-harness.ts';

export function testReceipts(create: () => Promise<ApplyHarness>): void {
  describe('a call of pay()', () => {
    test('with the terms of an acceptance completes the intent, by whoever paid', async () => {
      const harness = await create();
      const intent = await harness.offer();
      const log = receivedLog(intent);
      const answer = await applied(harness, log);
      expect(answer).toMatchObject({ outcome: 'completed', intentId: intent.intentId });
      const rows = await harness.read();
      const [payment] = rows.payments;
      expect(payment).toMatchObject({
        status: 'completed',
        settlement: 'completed',
        intentStatus: 'completed',
        named: true,
      });
      const { amount } = intent.acceptance;
      expect(liveOf(rows, must(payment).id)).toEqual({
        payer: 0n - amount,
        merchant: amount - log.feeAtomic,
        platform_fee: log.feeAtomic,
      });
      expect(await harness.proofs()).toMatchObject([{ logIndex: log.position.logIndex, payment: must(payment).id }]);
      expect((await applied(harness, log)).outcome).toBe('recorded');
      expect(await harness.read()).toEqual(rows);
      // Paid twice: the second is a payment of its own.
      const twice = await applied(harness, receivedLog(intent));
      expect(twice).toMatchObject({ outcome: 'mismatched', reason: 'intent_not_payable' });
      const after = await harness.read();
      expect(after.payments.filter(({ status }) => status === 'completed')).toHaveLength(1);
      expect(must(after.payments.find(({ status }) => status === 'mismatched'))).toMatchObject({
        intentStatus: 'completed',
        named: false,
        refundDue: amount,
      });
    });

    test.each([
      ['a rival’s payout', { payoutId: 999_999n }, 'other_terms'],
      ['one unit', { amountAtomic: 1n, feeAtomic: 0n }, 'below_minimum'],
      ['another token', { asset: `0x${'d5'.repeat(20)}` }, 'other_terms'],
      ['another processor', { address: `0x${'d6'.repeat(20)}` }, 'other_terms'],
      ['another fee than its payout takes', { feeAtomic: 1n }, 'other_terms'],
    ])('with %s and the victim’s code is a receipt that changes no intent', async (_, change, reason) => {
      const harness = await create();
      const intent = await harness.offer();
      const before = await harness.read();
      expect(await applied(harness, receivedLog(intent, change))).toEqual({ outcome: 'unattributed', reason });
      expect(await harness.read()).toEqual(before);
      expect(await harness.proofs()).toMatchObject([{ payment: null, reason }]);
    });

    test.each([
      ['expired at that block', { expiresInMs: -1_000 }, 'intent_expired'],
      ['offered at a price that was over', { priceEndsInMs: -1_000 }, 'price_ended'],
      ['of another sender', { expectedSender: `0x${'d3'.repeat(20)}` }, 'other_sender'],
    ])('for an intent %s is a payment of its own: told, and the intent unchanged', async (_, terms, reason) => {
      const harness = await create();
      const intent = await harness.offer(terms);
      const log = receivedLog(intent);
      expect(await applied(harness, log)).toMatchObject({ outcome: 'mismatched', reason });
      const rows = await harness.read();
      const payment = must(rows.payments.find(({ intent: of }) => of === intent.intentId));
      expect(payment).toMatchObject({
        status: 'mismatched',
        settlement: 'completed',
        intentStatus: 'requires_payment',
        named: false,
        refundDue: log.amountAtomic,
      });
      expect(typesOf(rows, intent.intentId)).toEqual(['payment_intent.created', 'payment.created', 'payment.updated']);
      expect(Object.values(liveOf(rows, payment.id)).reduce((sum, amount) => sum + amount, 0n)).toBe(0n);
      expect((await applied(harness, log)).outcome).toBe('recorded');
      expect(await harness.read()).toEqual(rows);
    });

    test('for a code that is not ours is a receipt at our payout, and nothing at another', async () => {
      const harness = await create();
      const intent = await harness.offer();
      const unknown = { intentCode: 2n ** 60n };
      expect((await applied(harness, receivedLog(intent, unknown))).outcome).toBe('unattributed');
      const foreign = receivedLog(intent, { ...unknown, payoutId: 999_999n });
      expect((await applied(harness, foreign)).outcome).toBe('ignored');
      expect(await harness.proofs()).toHaveLength(1);
    });

    test('removes a header that is queued for the intent, and is a payment of its own where one was sent', async () => {
      const harness = await create();
      const { settling, lane } = harness;
      const intent = await harness.offer();
      const queued = await harness.claim(intent);
      const log = receivedLog(intent);
      expect((await applied(harness, log)).outcome).toBe('completed');
      expect(await paymentOf(harness, queued.paymentId)).toMatchObject({
        status: 'failed',
        settlement: 'failed',
        named: false,
      });
      expect(await settling.loadQueue(lane, ALL, 9)).toEqual([]);
      expect(typesOf(await harness.read(), intent.intentId)).toEqual([
        'payment_intent.created',
        'payment.created',
        'payment.failed',
        'payment.created',
        'payment.completed',
      ]);
      const other = await harness.offer();
      const sent = await harness.claim(other);
      const lease = await leaseOf(settling, lane);
      await sendItems(harness, settling, lease, await settling.loadQueue(lane, ALL, 9));
      expect(await applied(harness, receivedLog(other))).toMatchObject({
        outcome: 'mismatched',
        reason: 'payment_under_way',
      });
      expect(await paymentOf(harness, sent.paymentId)).toMatchObject({ settlement: 'batched', named: true });
    });
  });

  describe('the event of a settled payment', () => {
    test('is dropped when its lane has recorded it, waits until then, and is ignored if not ours', async () => {
      const harness = await create();
      const { settling, lane, apply, network } = harness;
      const intent = await harness.offer();
      const { payer, paymentId } = await harness.claim(intent);
      const lease = await leaseOf(settling, lane);
      const batch = await sendItems(harness, settling, lease, await settling.loadQueue(lane, ALL, 9));
      const mined = minedAs(batch, 'settled');
      const { transactionId } = mined;
      const position = { ...positionAt(BLOCK, transactionId), logIndex: 1 };
      const log: ProcessorLog = { ...receivedLog(intent, { payer }), event: 'payment_settled', position };
      expect(await applied(harness, log)).toEqual({ outcome: 'waits', reason: 'lane' });
      await settling.recordMined(lease, [{ batch, mined }]);
      // A log that says something else is no record of the payment, and does not count as read.
      const other = await harness.offer();
      for (const [reason, change] of [
        ['intentCode', { intentCode: other.intentCode }],
        ['payer', { payer: `0x${'c2'.repeat(20)}` }],
        ['asset', { asset: `0x${'c3'.repeat(20)}` }],
        ['amount', { amountAtomic: log.amountAtomic - 1n }],
      ] as const) {
        const forged = { ...log, ...change };
        expect(await apply.dropRecorded(network, [forged]), reason).toEqual([forged]);
        const answer = await apply.applyLog(network, finalOf(harness, forged), harness.nowMs());
        expect(answer).toEqual({ outcome: 'differs', paymentId, reason });
        await harness.putLog(log);
      }
      expect(await harness.logsRead()).toBe(0);
      expect(await apply.dropRecorded(network, [log])).toEqual([]);
      expect(await harness.logsRead()).toBe(1);
      // Another installation may have the same code, and never the same payout.
      for (const change of [{ intentCode: 2n ** 60n }, { payoutId: 999_999n }]) {
        const stranger: ProcessorLog = { ...log, position: positionAt(), ...change };
        expect(await applied(harness, stranger)).toEqual({ outcome: 'ignored', reason: 'not_ours' });
      }
    });

    test('a reversal deletes the proof, and the lane’s next record writes it again', async () => {
      const harness = await create();
      const { settling, lane, finality } = harness;
      const intent = await harness.offer();
      const { paymentId } = await harness.claim(intent);
      const lease = await leaseOf(settling, lane);
      const batch = await sendItems(harness, settling, lease, await settling.loadQueue(lane, ALL, 9));
      await settling.recordMined(lease, [{ batch, mined: minedAs(batch, 'settled') }]);
      expect(await harness.proofs()).toMatchObject([{ payment: paymentId, logIndex: 1 }]);
      expect(await finality.reverseBatch(batch.id, '0xb100', harness.nowMs())).toBe(true);
      expect(await harness.proofs()).toEqual([]);
      const moved = minedAs(batch, 'settled', { blockNumber: 101n, blockHash: '0xb101' });
      await settling.recordMined(lease, [{ batch, mined: moved }]);
      expect(await harness.proofs()).toMatchObject([{ payment: paymentId, logIndex: 1 }]);
    });
  });
}
