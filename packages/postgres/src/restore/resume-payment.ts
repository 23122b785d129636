// Resumes a payment whose intent exists. Claim, authorization and payment are written as they were when the header was
// submitted, with the usual events.
import { confirmIntent, draftEvents, eventsFor, type Intent, type StoredAcceptance } from '@svc-pay/core';
import type pg from 'pg';
import { loadAcceptances } from '../intent/load-acceptances.ts';
import { type IntentToChange, lockIntent } from '../intent/load-intent.ts';
import { failPayments } from '../payment/payment-results.ts';
import { writeEvents, writePaymentResults } from '../payment/write-payment-results.ts';
import { loadClaimedPayments } from '../stranded/claimed-payments.ts';
import type { PaymentToRestore } from './payment-to-restore.ts';
import type { IntentOwner } from './stored-payment-state.ts';
import { writePending } from './write-pending-payment.ts';

/** Returns why the payment cannot be resumed; undefined on success. */
export async function resumePayment(
  client: pg.ClientBase,
  given: PaymentToRestore,
  owner: IntentOwner,
): Promise<string | undefined> {
  const { carried, lease, batchId, nowMs } = given;
  const acceptance = (await loadAcceptances(client, owner, owner.intentId)).find((offered) =>
    isOffered(offered, given),
  );
  if (acceptance === undefined) return 'its intent never offered these terms';
  const found = await lockIntent(client, owner, owner.intentId);
  if (found === undefined) return 'its intent is gone';
  const before = found.payment?.status === 'pending' ? await endOther(client, given, found) : found;
  const { intent } = before;
  if (intent.status !== 'requires_payment' && intent.status !== 'failed') return `its intent is ${intent.status}`;
  const after = payable(intent, acceptance, given);
  const events = draftEvents(
    eventsFor({ intent, payment: before.payment }, { intent: after, payment: before.payment }),
    { intent: after, payment: before.payment },
    { requestId: batchId, idempotencyKey: null },
    nowMs,
    before.eventSequence,
  );
  await writePending(client, {
    carried: { ...carried, asset: acceptance.token.address, processor: acceptance.payTo },
    intent: after,
    confirmations: intent.upto ? intent.confirmations : acceptance.confirmations,
    tokenShortcode: acceptance.token.shortcode,
    lease,
    batchId,
    nowMs,
    eventCount: events.length,
  });
  await writeEvents(
    client,
    events.map((event) => ({ event, owner })),
  );
  return undefined;
}

function isOffered(offered: StoredAcceptance, { carried, lease }: PaymentToRestore): boolean {
  return (
    offered.network === lease.network &&
    offered.token.address.toLowerCase() === carried.asset &&
    offered.payTo.toLowerCase() === carried.processor &&
    offered.amount === carried.capAtomic &&
    offered.payoutId === carried.payoutId
  );
}

/** The intent with the terms that the payer signed, as it was after the header was submitted. */
function payable(intent: Intent, acceptance: StoredAcceptance, { carried }: PaymentToRestore): Intent {
  const { payer: from, processor: to, capAtomic, validAfterSeconds, validBeforeSeconds, nonce } = carried;
  const authorization = {
    from,
    to,
    value: capAtomic.toString(),
    validAfter: validAfterSeconds.toString(),
    validBefore: validBeforeSeconds.toString(),
    nonce,
  };
  const confirmed = confirmIntent(intent, { acceptance, authorization });
  if (intent.upto) return confirmed;
  const { serviceMetadata, expiresAtMs, confirmedPayer } = intent;
  return { ...confirmed, serviceMetadata, expiresAtMs, confirmedPayer };
}

/**
 * Fails the intent's pending payment: another payment settled the intent on chain, so this one can no longer settle.
 */
async function endOther(client: pg.ClientBase, { nowMs, batchId }: PaymentToRestore, found: IntentToChange) {
  const { accountId, mode, id } = found.intent;
  const paymentId = found.payment?.id ?? null;
  const other = (await loadClaimedPayments(client, [{ accountId, mode, paymentId }])).get(paymentId ?? '');
  if (other === undefined || !isOpen(other.settlement)) return found;
  const cause = { requestId: batchId, nowMs };
  const results = await failPayments(client, [{ item: other.item, code: 'intent_not_payable' }], null, cause);
  await writePaymentResults(client, results, other.settlement, nowMs);
  return (await lockIntent(client, found.intent, id)) ?? found;
}

const isOpen = (status: string): status is 'queued' | 'held' | 'batched' | 'mined' =>
  ['queued', 'held', 'batched', 'mined'].includes(status);
