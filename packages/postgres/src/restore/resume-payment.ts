// Loads the intent of a payment whose claim was lost, and writes the decided claim, authorization and payment.
import { type IntentOwner, resumePayment } from '@svc-pay/core';
import type pg from 'pg';
import { loadAcceptances } from '../intent/load-acceptances.ts';
import { lockIntent } from '../intent/load-intent.ts';
import { failPayments } from '../payment/payment-results.ts';
import { writePaymentResults } from '../payment/write-payment-results.ts';
import { loadClaimedPayments } from '../stranded/claimed-payments.ts';
import type { PaymentToRestore } from './payment-to-restore.ts';
import { writeRestored } from './write-restored-payment.ts';

export async function writeResumed(
  client: pg.ClientBase,
  given: PaymentToRestore,
  owner: IntentOwner,
): Promise<{ readonly ok: true } | { readonly ok: false; readonly reason: string }> {
  const { carried, lease, batch, nowMs } = given;
  const { network } = lease;
  const acceptances = await loadAcceptances(client, owner, owner.intentId);
  for (;;) {
    const found = await lockIntent(client, owner, owner.intentId);
    const latest = await loadLatest(client, owner, found?.payment?.id ?? null);
    const facts = { network, carried, batchId: batch.id, acceptances, found, settlement: latest?.settlement, nowMs };
    const decided = resumePayment(facts);
    if (decided.step === 'refuse') return { ok: false, reason: decided.reason };
    if (decided.step === 'write') {
      await writeRestored(client, given, decided.rows);
      return { ok: true };
    }
    if (latest === undefined) throw new Error(`intent ${owner.intentId} has no payment to fail`);
    const cause = { requestId: batch.id, nowMs };
    const results = await failPayments(client, [{ item: latest.item, code: 'intent_not_payable' }], null, cause);
    await writePaymentResults(client, results, decided.from, nowMs);
  }
}

async function loadLatest(client: pg.ClientBase, { accountId, mode }: IntentOwner, paymentId: string | null) {
  return (await loadClaimedPayments(client, [{ accountId, mode, paymentId }])).get(paymentId ?? '');
}
