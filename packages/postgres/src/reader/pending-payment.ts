// The pending payment of an intent for which money arrived by itself.
import { isRevivable, type PendingFacts, SETTLEMENT_STATUS } from '@svc-pay/core';
import { newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { failPayments } from '../payment/payment-results.ts';
import { writePaymentResults } from '../payment/write-payment-results.ts';
import { loadRevertedBatches } from '../settlement/reverted-batches.ts';
import { loadClaimedPayments } from '../stranded/claimed-payments.ts';
import type { LockedPayment, OwnedIntent } from './lock-for-apply.ts';

type Owner = OwnedIntent & { readonly paymentId: string | null };

/** Undefined if the intent has none. */
export async function loadPending(
  client: pg.ClientBase,
  owner: Owner,
  { settlement, read }: LockedPayment,
): Promise<PendingFacts | undefined> {
  const reverted =
    owner.paymentId === null
      ? new Map()
      : await loadRevertedBatches(client, [{ ...owner, paymentId: paymentOf(read) }]);
  return settlement === undefined
    ? undefined
    : {
        settlement: settlement.status,
        direct: settlement.direct,
        revivable: isRevivable({ paymentId: paymentOf(read) }, reverted),
      };
}

/** The queued payment fails under its lock, so that no lane sends it. */
export async function removeQueued(
  client: pg.ClientBase,
  owner: Owner,
  { read }: LockedPayment,
  nowMs: number,
): Promise<void> {
  const paymentId = owner.paymentId ?? '';
  const item = (await loadClaimedPayments(client, [{ ...owner, paymentId }])).get(paymentId)?.item;
  if (item === undefined) throw new Error(`payment ${paymentId} has no authorization or no payout`);
  // The intent was payable when it was paid: it does not fail by its expiry meanwhile.
  const origin = { requestId: newId('batch', nowMs), nowMs: Math.min(nowMs, read.intent.expiresAtMs - 1) };
  const results = await failPayments(client, [{ item, code: 'intent_not_payable' }], null, origin);
  await writePaymentResults(client, results, SETTLEMENT_STATUS.queued, nowMs);
}

function paymentOf({ payment, intent }: LockedPayment['read']): NonNullable<LockedPayment['read']['payment']>['id'] {
  if (payment === null) throw new Error(`intent ${intent.id} has no payment`);
  return payment.id;
}
