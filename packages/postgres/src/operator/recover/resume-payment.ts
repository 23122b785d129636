// A payment of an intent that was there. Its claim, its authorization and its payment are made as they were made when its
// header came; how it went on until then is told by the same events as ever.
import { confirmIntent, draftEvents, eventsFor, type Intent, type StoredAcceptance } from '@svc-pay/core';
import type pg from 'pg';
import { loadClaimedPayments } from '../../lanes/claimed-payments.ts';
import { failPayments } from '../../lanes/end-payments.ts';
import { writeEnds, writeEvents } from '../../lanes/write-ends.ts';
import { loadAcceptances } from '../../stores/load-acceptances.ts';
import { type IntentToChange, lockIntent } from '../../stores/load-intent.ts';
import type { IntentOwner } from './payment-standing.ts';
import type { PaymentToRestore } from './payment-to-restore.ts';
import { writePending } from './write-pending.ts';

/** What stands against it; undefined when it is done. */
export async function resumePayment(
  client: pg.ClientBase,
  given: PaymentToRestore,
  owner: IntentOwner,
): Promise<string | undefined> {
  const { carried, held, batchId, nowMs } = given;
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
    held,
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

function isOffered(offered: StoredAcceptance, { carried, held }: PaymentToRestore): boolean {
  return (
    offered.network === held.network &&
    offered.token.address.toLowerCase() === carried.asset &&
    offered.payTo.toLowerCase() === carried.processor &&
    offered.amount === carried.capAtomic &&
    offered.payoutId === carried.payoutId
  );
}

/** Asking for what was signed, as it did once the header had come. */
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

/** The intent is settled by another payment on chain: the one that held it can't be settled any more. */
async function endOther(client: pg.ClientBase, { nowMs, batchId }: PaymentToRestore, found: IntentToChange) {
  const { accountId, mode, id } = found.intent;
  const paymentId = found.payment?.id ?? null;
  const other = (await loadClaimedPayments(client, [{ accountId, mode, paymentId }])).get(paymentId ?? '');
  if (other === undefined || !isOpen(other.settlement)) return found;
  const cause = { requestId: batchId, nowMs };
  const ends = await failPayments(client, [{ item: other.item, code: 'intent_not_payable' }], null, cause);
  await writeEnds(client, ends, other.settlement, nowMs);
  return (await lockIntent(client, found.intent, id)) ?? found;
}

const isOpen = (status: string): status is 'queued' | 'held' | 'batched' | 'mined' =>
  ['queued', 'held', 'batched', 'mined'].includes(status);
