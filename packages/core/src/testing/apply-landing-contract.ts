// What an apply store makes of the use of a direct authorization that nobody claimed.
import { describe, expect, test } from 'vitest';
import { FIRST_AUTHORIZATION } from '../index.ts';
import type { ApplyHarness } from './apply-harness.ts';
import { applied, liveOf, paymentOf, transferOfUse, typesOf, used, usedLog } from './final-logs.ts';
import { must } from './store-harness.ts';

export function testLandings(create: () => Promise<ApplyHarness>): void {
  describe('the use of an authorization without a claim', () => {
    test.each(['refused', 'bound'])('completes a payable intent: one that was %s', async (kind) => {
      const harness = await create();
      const intent = await harness.offer({ use: 'exclusive' });
      const signed = kind === 'refused' ? await harness.refuse(intent) : await harness.signBound(intent);
      const { answer, log } = await used(harness, intent, signed);
      expect(answer).toMatchObject({ outcome: 'completed', intentId: intent.intentId });
      const rows = await harness.read();
      const payment = must(rows.payments.find(({ intent: of }) => of === intent.intentId));
      expect(payment).toMatchObject({
        status: 'completed',
        settlement: 'completed',
        intentStatus: 'completed',
        named: true,
      });
      expect(Object.keys(liveOf(rows, payment.id)).toSorted()).toEqual(['merchant', 'payer']);
      expect(typesOf(rows, intent.intentId)).toEqual([
        'payment_intent.created',
        'payment.created',
        'payment.completed',
      ]);
      expect((await applied(harness, log, { transfer: transferOfUse(intent, log) })).outcome).toBe('recorded');
      expect(await harness.read()).toEqual(rows);
      // The same header, submitted afterwards, finds its claim.
      await expect(harness.claim(intent)).rejects.toThrow('intent_taken');
    });

    test.each([
      ['canceled', {}, 'intent_not_payable'],
      ['expired at that block', { expiresInMs: -1_000 }, 'intent_expired'],
      ['offered at a price that was over', { priceEndsInMs: -1_000 }, 'price_ended'],
      ['of another sender', { expectedSender: `0x${'d3'.repeat(20)}` }, 'other_sender'],
    ])('is a payment of its own if the intent is %s: told, and the intent unchanged', async (name, terms, reason) => {
      const harness = await create();
      const intent = await harness.offer({ use: 'exclusive', ...terms });
      const signed = await harness.refuse(intent, { bound: true });
      if (name === 'canceled') await harness.cancelIntent(intent.intentId);
      const { answer, log } = await used(harness, intent, signed);
      expect(answer).toMatchObject({ outcome: 'mismatched', intentId: intent.intentId, reason });
      const rows = await harness.read();
      const payment = must(rows.payments.find(({ intent: of }) => of === intent.intentId));
      expect(payment).toMatchObject({ status: 'mismatched', settlement: 'completed', named: false });
      expect(payment.intentStatus).toBe(name === 'canceled' ? 'canceled' : 'requires_payment');
      expect(payment).toMatchObject({ paid: intent.acceptance.amount, fee: 0n, refund: 0n, splits: [] });
      expect(Object.keys(liveOf(rows, payment.id)).toSorted()).toEqual(['merchant', 'payer']);
      expect(typesOf(rows, intent.intentId)).toEqual(['payment_intent.created', 'payment.created', 'payment.updated']);
      expect((await harness.proofs()).map(({ payment: proven }) => proven)).toEqual([payment.id]);
      expect((await applied(harness, log, { transfer: transferOfUse(intent, log) })).outcome).toBe('recorded');
      expect(await harness.read()).toEqual(rows);
    });

    test('for an intent that another payment has is a payment of its own', async () => {
      const harness = await create();
      const intent = await harness.offer({ use: 'exclusive' });
      const signed = await harness.refuse(intent);
      const claim = await harness.claim(intent);
      expect((await used(harness, intent, signed)).answer).toMatchObject({
        outcome: 'mismatched',
        reason: 'payment_under_way',
      });
      expect(await paymentOf(harness, claim.paymentId)).toMatchObject({
        status: 'pending',
        settlement: 'queued',
        named: true,
      });
      expect((await used(harness, intent, claim)).answer.outcome).toBe('completed');
    });

    test('that was refused for two intents pays the one that can be paid', async () => {
      const harness = await create();
      const [ended, open] = [await harness.offer({ use: 'exclusive' }), await harness.offer({ use: 'exclusive' })];
      const signed = await harness.refuse(ended);
      await harness.refuse(open, { signed });
      await harness.cancelIntent(ended.intentId);
      expect((await used(harness, ended, signed)).answer).toMatchObject({
        outcome: 'completed',
        intentId: open.intentId,
      });
      expect((await harness.read()).payments).toHaveLength(1);
    });

    test('unbound, of a shared wallet, is a receipt that pays nothing', async () => {
      const harness = await create();
      const intent = await harness.offer({ use: 'shared' });
      const signed = await harness.refuse(intent);
      expect((await used(harness, intent, signed)).answer).toEqual({
        outcome: 'unattributed',
        reason: 'shared_wallet',
      });
      expect((await harness.read()).payments).toEqual([]);
      expect(await harness.proofs()).toMatchObject([{ payment: null, reason: 'shared_wallet' }]);
    });

    test('that was refused is closed by its use, and by a claim', async () => {
      const harness = await create();
      const { direct, network } = harness;
      const open = () => direct.loadOpenRefused(network, FIRST_AUTHORIZATION, 2n ** 62n, 9);
      const intent = await harness.offer({ use: 'exclusive' });
      const signed = await harness.refuse(intent);
      expect(await open()).toMatchObject([{ refused: true, claimed: false }]);
      await used(harness, intent, signed);
      expect(await open()).toEqual([]);
      const other = await harness.offer({ use: 'exclusive' });
      const claim = await harness.claim(other);
      await harness.refuse(intent, { signed: claim });
      expect(await open()).toMatchObject([{ refused: true, claimed: true }]);
    });

    test('with other evidence, a stranger’s nonce, and a cancellation change nothing', async () => {
      const harness = await create();
      const intent = await harness.offer({ use: 'exclusive' });
      const signed = await harness.refuse(intent);
      const before = await harness.read();
      const bound = await harness.signBound(intent);
      const other = {
        payer: `0x${'d4'.repeat(20)}`,
        nonce: `${bound.nonce.slice(0, -4)}beef`,
        claimKey: new Uint8Array(),
      };
      expect((await used(harness, intent, other)).answer.outcome).toBe('ignored');
      expect((await used(harness, intent, signed, { valueAtomic: 1n })).answer.outcome).toBe('ignored');
      const again = await harness.refuse(intent);
      expect((await applied(harness, { ...usedLog(intent, again), event: 'authorization_canceled' })).outcome).toBe(
        'ignored',
      );
      expect(await harness.read()).toEqual(before);
      expect(await harness.proofs()).toEqual([]);
      expect(await harness.unapplied()).toBe(0);
    });
  });
}
