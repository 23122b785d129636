// Why an intent stands where it stands, as one code.
import type { IntentStatus, PaymentStatus } from '@svc-pay/protocol';
import type { TimelineSituation } from '@svc-pay/protocol/merchant';
import { DELIVERY_STATUS } from '../delivery/delivery-transitions.ts';
import { isConfirmed } from '../intent/intent.ts';
import { ENDED_INTENT, INTENT_STATUS } from '../intent/intent-transitions.ts';
import { ENDED_BATCH } from '../lane/batch-transitions.ts';
import { PAYMENT_STATUS } from '../payment/payment-transitions.ts';
import { OPEN_REFUND } from '../refund/refund-transitions.ts';
import { SETTLEMENT_STATUS } from '../settlement/settlement-transitions.ts';
import { OPEN_STRANDED } from '../stranded/stranded-transitions.ts';
import type { TimelineRows, TimelineSettlement, TimelineStranding } from './timeline-rows.ts';

/** A situation, or a code of the error reference. */
export function situationOf(rows: TimelineRows): string {
  const { intent, payments, namedPaymentId } = rows;
  const payment = payments.find(({ id }) => id === namedPaymentId);
  const situations: Readonly<Record<IntentStatus, () => string>> = {
    [INTENT_STATUS.requires_payment]: () => situation(waitsForCharge(rows) ? 'awaits_charge' : 'awaits_payer'),
    [INTENT_STATUS.processing]: () =>
      payment === undefined
        ? situation('awaits_charge')
        : settlementSituation(settlementOf(rows, payment.id), rows.asOfMs),
    [INTENT_STATUS.mismatched]: () =>
      situation(payment !== undefined && isShort(payment) ? 'awaits_rest' : 'awaits_merchant'),
    [INTENT_STATUS.completed]: () => paidSituation(rows, payment?.status),
    [INTENT_STATUS.failed]: () => payment?.failureCode ?? situation('expired'),
    [INTENT_STATUS.canceled]: () => canceledSituation(rows),
  };
  return situations[intent.status]();
}

const situation = (code: TimelineSituation): TimelineSituation => code;

function paidSituation(rows: TimelineRows, status: PaymentStatus | undefined): TimelineSituation {
  if (status === PAYMENT_STATUS.refunded) return 'refunded';
  return isFinal(rows) ? 'paid_and_final' : 'paid';
}

/** Where a payment stands that has no result. A chain that refused it says why. */
export function settlementSituation(settlement: TimelineSettlement | undefined, nowMs: number): string {
  if (settlement === undefined) return situation('awaits_proof');
  const { status, retryAtMs, refusal, heldForMerchant } = settlement;
  if (status === SETTLEMENT_STATUS.batched) return situation('awaits_block');
  if (status === SETTLEMENT_STATUS.held) {
    return heldForMerchant ? situation('awaits_merchant') : (refusal ?? situation('awaits_proof'));
  }
  if (status === SETTLEMENT_STATUS.queued) {
    const due = retryAtMs === null || retryAtMs <= nowMs;
    return due ? situation('awaits_lane') : (refusal ?? situation('awaits_next_try'));
  }
  // A payment gets its result in the commit that ends its settlement: what is left is a transaction without effect.
  return situation('awaits_final_block');
}

export const settlementOf = ({ settlements }: TimelineRows, paymentId: string): TimelineSettlement | undefined =>
  settlements.find((settlement) => settlement.paymentId === paymentId);

/** What was paid so far is less than what is asked. */
export function isShort({ requestedAmount, paidTotal, paidAmount }: TimelineRows['payments'][number]): boolean {
  const paid = paidTotal ?? paidAmount;
  return requestedAmount !== null && paid !== null && paid < requestedAmount;
}

const waitsForCharge = ({ intent }: TimelineRows): boolean => intent.upto && isConfirmed(intent);

export function canceledSituation(rows: TimelineRows): TimelineSituation {
  const { intent, canceledAtMs } = rows;
  // Its merchant canceled it or it expired: without the time nobody knows which.
  if (canceledAtMs === null) return 'canceled';
  if (canceledAtMs >= intent.expiresAtMs) return 'expired';
  return waitsForCharge(rows) ? 'released' : 'canceled';
}

/** No batch that carries a payment of it can change any more. What is read on a chain is applied when it is final. */
function isFinal({ batches }: TimelineRows): boolean {
  const ended: readonly string[] = ENDED_BATCH;
  return batches.every(({ status }) => ended.includes(status));
}

/** Money that is held waits for its merchant only beside a paid intent; that of one that ended unpaid goes back by itself. */
function isMoving({ intent }: TimelineRows, { action, status }: TimelineStranding): boolean {
  const open: readonly string[] = OPEN_STRANDED;
  return open.includes(status) && (action !== 'hold' || intent.status !== INTENT_STATUS.completed);
}

/** True if no further entry will come, unless a block is removed or somebody acts. */
export function isAtRest(rows: TimelineRows): boolean {
  const { intent, events, refunds } = rows;
  const [ended, open]: readonly (readonly string[])[] = [ENDED_INTENT, OPEN_REFUND];
  return (
    ended?.includes(intent.status) === true &&
    isFinal(rows) &&
    !rows.strandings.some((stranding) => isMoving(rows, stranding)) &&
    !refunds.some(({ status }) => open?.includes(status)) &&
    !events.some(({ deliveries }) => deliveries.some(({ status }) => status === DELIVERY_STATUS.pending))
  );
}
