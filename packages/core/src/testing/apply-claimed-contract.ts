// What an apply store makes of the use of a direct authorization that was claimed.
import { describe, expect, test } from 'vitest';
import { FIRST_AUTHORIZATION } from '../index.ts';
import type { ApplyHarness } from './apply-harness.ts';
import { applied, BLOCK, liveOf, paymentOf, positionAt, transferOfUse, typesOf, used, usedLog } from './final-logs.ts';
import { ALL, leaseOf, minedAs, must, sendItems } from './store-harness.ts';

export function testClaimedUses(create: () => Promise<ApplyHarness>): void {
  describe('the use of a claimed direct authorization', () => {
    test('completes its payment once: booked, told and proven by the transfer, whoever sent it', async () => {
      const harness = await create();
      const intent = await harness.offer({ use: 'exclusive' });
      const claim = await harness.claim(intent);
      const { log, answer } = await used(harness, intent, claim);
      const { paymentId } = claim;
      expect(answer).toEqual({ outcome: 'completed', intentId: intent.intentId, paymentId });
      const rows = await harness.read();
      const { transactionId, logIndex } = log.position;
      expect(await paymentOf(harness, paymentId)).toMatchObject({
        status: 'completed',
        settlement: 'completed',
        intentStatus: 'completed',
        named: true,
        paid: intent.acceptance.amount,
        split: `${transactionId}:${logIndex + 1}`,
        batch: null,
        relayer: null,
      });
      const { amount } = intent.acceptance;
      expect(liveOf(rows, paymentId)).toEqual({ payer: 0n - amount, merchant: amount });
      expect(typesOf(rows, intent.intentId)).toEqual([
        'payment_intent.created',
        'payment.created',
        'payment.completed',
      ]);
      expect(await harness.proofs()).toEqual([
        { transaction: transactionId, logIndex: logIndex + 1, payment: paymentId, reason: null },
      ]);
      expect(await harness.unapplied()).toBe(0);
      // Read again, as after a rewind.
      expect((await applied(harness, log, { transfer: transferOfUse(intent, log) })).outcome).toBe('recorded');
      expect(await harness.read()).toEqual(rows);
    });

    test('that a reorg took back queues it again, and it names no transaction', async () => {
      const harness = await create();
      const { direct, settling, finality, lane, network, nowMs } = harness;
      const { paymentId } = await harness.claim(await harness.offer({ use: 'exclusive' }));
      const lease = await leaseOf(settling, lane);
      const batch = await sendItems(harness, settling, lease, await settling.loadQueue(lease, ALL, 9));
      await settling.recordMined(lease, [{ batch, mined: minedAs(batch, 'authorization_used') }]);
      const final = must((await finality.loadAgeingBatches(network, 1_000n, 9))[0]);
      await finality.recordFinal(final, ['authorization_used'], nowMs());
      const { transactionId: transaction } = must(batch.transactions[0]);
      expect(await paymentOf(harness, paymentId)).toMatchObject({ settlement: 'held', transaction });
      const open = await direct.loadOpenDirect(network, FIRST_AUTHORIZATION, 2n ** 62n, 9);
      expect(await direct.queueAgain(must(open[0]), nowMs())).toBe(true);
      expect(await paymentOf(harness, paymentId)).toMatchObject({ settlement: 'queued', transaction: null });
    });

    test('by a batch is final when the batch is: until then a reorg may hold the payment again', async () => {
      const harness = await create();
      const { direct, settling, finality, lane, network, nowMs } = harness;
      const isResultFinal = async () =>
        (await direct.loadOpenDirect(network, FIRST_AUTHORIZATION, 2n ** 62n, 9)).map((row) => row.isResultFinal);
      await harness.claim(await harness.offer({ use: 'exclusive' }));
      const lease = await leaseOf(settling, lane);
      const batch = await sendItems(harness, settling, lease, await settling.loadQueue(lease, ALL, 9));
      await settling.recordMined(lease, [{ batch, mined: minedAs(batch, 'settled') }]);
      expect(await isResultFinal()).toEqual([false]);
      const final = must((await finality.loadAgeingBatches(network, 1_000n, 9))[0]);
      await finality.recordFinal(final, [], nowMs());
      expect(await isResultFinal()).toEqual([true]);
    });

    test.each([
      ['to another wallet', { to: `0x${'d1'.repeat(20)}` }],
      ['of another value, as by a token that keeps a fee', { valueAtomic: 1n }],
      ['from another payer', { from: `0x${'d2'.repeat(20)}` }],
    ])('with a transfer %s fails it: the authorization is gone', async (_, change) => {
      const harness = await create();
      const intent = await harness.offer({ use: 'exclusive' });
      const claim = await harness.claim(intent);
      const { answer } = await used(harness, intent, claim, change);
      expect(answer).toMatchObject({ outcome: 'failed', reason: 'used_elsewhere' });
      expect(await paymentOf(harness, claim.paymentId)).toMatchObject({
        status: 'failed',
        intentStatus: 'requires_payment',
      });
      expect(await harness.proofs()).toEqual([]);
    });

    test('without a transfer behind it, and its cancellation, fail it', async () => {
      const harness = await create();
      for (const event of ['authorization_used', 'authorization_canceled'] as const) {
        const intent = await harness.offer({ use: 'exclusive' });
        const claim = await harness.claim(intent);
        expect((await applied(harness, { ...usedLog(intent, claim), event })).outcome).toBe('failed');
        expect(await paymentOf(harness, claim.paymentId)).toMatchObject({ status: 'failed', settlement: 'failed' });
      }
    });

    test('not after the block at which the claim saw it unused bought something elsewhere; a bound nonce did not', async () => {
      const harness = await create();
      const free = await harness.offer({ use: 'exclusive' });
      const early = await harness.claim(free, { atBlock: BLOCK });
      expect((await used(harness, free, early)).answer).toMatchObject({
        outcome: 'failed',
        reason: 'used_before_claim',
      });
      const intent = await harness.offer({ use: 'exclusive' });
      const bound = await harness.claim(intent, { bound: true, atBlock: BLOCK, used: true });
      expect(await paymentOf(harness, bound.paymentId)).toMatchObject({ settlement: 'held', status: 'pending' });
      expect((await used(harness, intent, bound)).answer.outcome).toBe('completed');
    });

    test('by a stranger is held for the merchant of a shared wallet unless the nonce is bound', async () => {
      const harness = await create();
      const intent = await harness.offer({ use: 'shared' });
      const claim = await harness.claim(intent);
      const { answer, log } = await used(harness, intent, claim);
      expect(answer).toMatchObject({ outcome: 'held', reason: 'shared_wallet', paymentId: claim.paymentId });
      expect(await paymentOf(harness, claim.paymentId)).toMatchObject({
        settlement: 'held',
        intentStatus: 'processing',
      });
      expect(await harness.settling.loadQueue(harness.lane, ALL, 9)).toEqual([]);
      const { transactionId: transaction, logIndex } = log.position;
      expect(await harness.proofs()).toEqual([
        { transaction, logIndex: logIndex + 1, payment: null, reason: 'shared_wallet' },
      ]);
      const other = await harness.offer({ use: 'shared' });
      const bound = await harness.claim(other, { bound: true });
      expect((await used(harness, other, bound)).answer.outcome).toBe('completed');
    });

    test('waits while a lane has the payment in a batch; the lane’s own record is the end of it', async () => {
      const harness = await create();
      const { settling, lane, apply, network } = harness;
      const intent = await harness.offer({ use: 'shared' });
      const claim = await harness.claim(intent);
      const lease = await leaseOf(settling, lane);
      const batch = await sendItems(harness, settling, lease, await settling.loadQueue(lane, ALL, 9));
      const transactionId = must(batch.transactions[0]).transactionId;
      const log = { ...usedLog(intent, claim), position: positionAt(BLOCK, transactionId) };
      const transfer = transferOfUse(intent, log);
      const before = await harness.read();
      expect(await applied(harness, log, { transfer })).toEqual({ outcome: 'waits', reason: 'lane' });
      expect(await harness.read()).toEqual(before);
      expect(await apply.dropRecorded(network, [log])).toEqual([log]);
      await settling.recordMined(lease, [{ batch, mined: minedAs(batch, 'settled') }]);
      expect(await apply.dropRecorded(network, [log])).toEqual([]);
      expect(await harness.unapplied()).toBe(0);
      expect(await harness.logsRead()).toBe(1);
      expect(await paymentOf(harness, claim.paymentId)).toMatchObject({ status: 'completed', batch: batch.id });
      // Read again, as after a rewind.
      await harness.putLog(log);
      expect(await apply.dropRecorded(network, [log])).toEqual([]);
      expect((await applied(harness, log, { transfer })).outcome).toBe('recorded');
      expect(await harness.logsRead()).toBe(1);
    });

    test('that a lane records after recorded logs were dropped is counted as read, once', async () => {
      const harness = await create();
      const { settling, lane, apply, network } = harness;
      const intent = await harness.offer({ use: 'exclusive' });
      const claim = await harness.claim(intent);
      const lease = await leaseOf(settling, lane);
      const batch = await sendItems(harness, settling, lease, await settling.loadQueue(lane, ALL, 9));
      await settling.recordMined(lease, [{ batch, mined: minedAs(batch, 'settled') }]);
      const { transactionId } = must(batch.transactions[0]);
      const log = { ...usedLog(intent, claim), position: positionAt(BLOCK, transactionId) };
      expect((await applied(harness, log, { transfer: transferOfUse(intent, log) })).outcome).toBe('recorded');
      expect(await harness.logsRead()).toBe(1);
      await harness.putLog(log);
      expect(await apply.dropRecorded(network, [log])).toEqual([]);
      expect(await harness.logsRead()).toBe(1);
    });

    test('in another transaction than the lane’s waits while the lane’s batch is not final', async () => {
      const harness = await create();
      const { settling, lane } = harness;
      const intent = await harness.offer({ use: 'exclusive' });
      const claim = await harness.claim(intent);
      const lease = await leaseOf(settling, lane);
      const batch = await sendItems(harness, settling, lease, await settling.loadQueue(lane, ALL, 9));
      await settling.recordMined(lease, [{ batch, mined: minedAs(batch, 'settled') }]);
      expect(await paymentOf(harness, claim.paymentId)).toMatchObject({ status: 'completed', batch: batch.id });
      expect((await used(harness, intent, claim)).answer).toEqual({ outcome: 'waits', reason: 'lane' });
      expect((await harness.proofs()).map(({ payment }) => payment)).toEqual([claim.paymentId]);
    });

    test('of our own transaction completes a held payment of a shared wallet', async () => {
      const harness = await create();
      const { settling, lane } = harness;
      const intent = await harness.offer({ use: 'shared' });
      const claim = await harness.claim(intent);
      const lease = await leaseOf(settling, lane);
      const batch = await sendItems(harness, settling, lease, await settling.loadQueue(lane, ALL, 9));
      await settling.recordReplaced(lease, batch.id);
      const log = { ...usedLog(intent, claim), position: positionAt(BLOCK, must(batch.transactions[0]).transactionId) };
      expect((await applied(harness, log, { transfer: transferOfUse(intent, log) })).outcome).toBe('completed');
      expect(await paymentOf(harness, claim.paymentId)).toMatchObject({ status: 'completed', batch: null });
      // The batch did not complete it, so its log is none of the batch's when it is read again.
      await harness.putLog(log);
      expect(await harness.apply.dropRecorded(harness.network, [log])).toEqual([]);
      expect(await harness.logsRead()).toBe(0);
    });

    test('that shares its transfer with another use completes one payment', async () => {
      const harness = await create();
      const [one, two] = [await harness.offer({ use: 'exclusive' }), await harness.offer({ use: 'exclusive' })];
      const [first, second] = [await harness.claim(one), await harness.claim(two)];
      const log = usedLog(one, first);
      const transfer = transferOfUse(one, log);
      expect((await applied(harness, log, { transfer })).outcome).toBe('completed');
      const double = { ...usedLog(two, second), position: { ...log.position, logIndex: log.position.logIndex - 1 } };
      // A node that lies about the payer as well: the log is taken all the same.
      const lie = { transfer: { ...transfer, from: second.payer } };
      expect(await applied(harness, double, lie)).toMatchObject({ outcome: 'held', reason: 'transfer_taken' });
      expect((await harness.read()).payments.filter(({ status }) => status === 'completed')).toHaveLength(1);
      expect(await harness.proofs()).toHaveLength(1);
    });

    test('of a processor’s authorization concerns its own watchers', async () => {
      const harness = await create();
      const intent = await harness.offer();
      const claim = await harness.claim(intent);
      const before = await harness.read();
      expect((await used(harness, intent, claim)).answer).toEqual({ outcome: 'ignored', reason: 'processor_payment' });
      expect(await harness.read()).toEqual(before);
    });
  });
}
