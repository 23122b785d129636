// All that a proven refund changes: the totals, the payment with its events, and the ledger. A store reads the rows, asks
// here, and writes the result in one transaction.
import { atomicAmount } from '@svc-pay/money';
import type { EventDraft } from '../event/event-draft.ts';
import type { Intent } from '../intent/intent.ts';
import {
  type Booking,
  type LedgerAccount,
  type LedgerEntry,
  NATIVE_ASSET,
  NETWORK_PARTY,
  newEntryId,
} from '../ledger/ledger-entry.ts';
import type { ResultOrigin } from '../ledger/payment-result.ts';
import type { StoredPayment } from '../payment/payment.ts';
import { changedAttributes, draftEvents } from '../payment/payment-events.ts';
import { PAYMENT_STATUS, PAYMENT_TRANSITIONS } from '../payment/payment-transitions.ts';
import { normalizeAddress } from '../token/address.ts';
import { transition } from '../transitions.ts';
import { type CountedRefund, countRefund } from './count-refund.ts';
import type { RefundTotals } from './judge-refund.ts';
import type { StoredRefund } from './refund.ts';
import type { RefundEvidence } from './refund-store.ts';

export type RefundToComplete = {
  readonly refund: Pick<StoredRefund, 'kind' | 'network' | 'asset'> & { readonly reservedAtomic: bigint };
  readonly totals: RefundTotals;
  readonly intent: Intent;
  readonly payment: StoredPayment;
  readonly eventSequence: number;
};

export type RefundResult = CountedRefund & {
  readonly payment: StoredPayment;
  readonly events: readonly EventDraft[];
  readonly entries: readonly LedgerEntry[];
};

/** Undefined when the transfer proves no refund of this payment. */
export function refundResult(
  { refund, totals, intent, payment, eventSequence }: RefundToComplete,
  evidence: RefundEvidence,
  { requestId, nowMs }: ResultOrigin,
): RefundResult | undefined {
  const counted = countRefund(totals, refund, evidence.amountAtomic);
  if (counted === undefined) return undefined;
  const { refundedAtomic, paidAtomic } = counted.totals;
  const whole = refundedAtomic === paidAtomic;
  const after: StoredPayment = {
    ...payment,
    refundedAmount: atomicAmount(refundedAtomic),
    status: whole ? refundedStatus(payment) : payment.status,
  };
  const changed = changedAttributes({ intent, payment }, { intent, payment: after });
  const caused = whole
    ? [{ type: 'payment.refunded' } as const]
    : changed === undefined
      ? []
      : [{ type: 'payment.updated', previousAttributes: changed } as const];
  const events = draftEvents(
    caused,
    { intent, payment: after },
    { requestId, idempotencyKey: null },
    nowMs,
    eventSequence,
  );
  return { ...counted, payment: after, events, entries: bookRefund(intent, payment, refund, evidence, { nowMs }) };
}

/** A refund of nothing counted, after the whole was given back, leaves the status. */
function refundedStatus({ id, status }: StoredPayment): StoredPayment['status'] {
  return status === PAYMENT_STATUS.refunded
    ? status
    : transition(PAYMENT_TRANSITIONS, status, PAYMENT_STATUS.refunded, 'ordinary', `payment ${id}`);
}

/** The books have all that moved, also where the totals count less. */
export function bookRefund(
  { accountId, mode }: Pick<Intent, 'accountId' | 'mode'>,
  { id: paymentId }: Pick<StoredPayment, 'id'>,
  { network, asset }: Pick<StoredRefund, 'network' | 'asset'>,
  { transactionId, logIndex, wallet, recipient, amountAtomic, gas }: RefundEvidence,
  booking: Booking,
): readonly LedgerEntry[] {
  const entry = (of: string, accountName: LedgerAccount, party: string, amount: bigint): LedgerEntry => ({
    id: newEntryId(booking),
    accountId,
    mode,
    paymentId,
    network,
    asset: of,
    accountName,
    party: normalizeAddress(party),
    amountAtomic: amount,
    transactionId,
    logIndex,
    reverses: null,
    createdAtMs: booking.nowMs,
  });
  return [
    entry(asset, 'merchant', wallet, -amountAtomic),
    entry(asset, 'payer', recipient, amountAtomic),
    ...(gas === undefined || gas.costAtomic === 0n
      ? []
      : [
          entry(NATIVE_ASSET, 'network_cost', gas.relayer, -gas.costAtomic),
          entry(NATIVE_ASSET, 'network_cost', NETWORK_PARTY, gas.costAtomic),
        ]),
  ];
}
