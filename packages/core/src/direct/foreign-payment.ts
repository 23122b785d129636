// Payments that a transaction of somebody else made. They are booked like any other, without gas of ours: for a payment
// that was claimed, for money that pays an intent without a claim, and for money that pays none.
import { atomicAmount, type Usd } from '@svc-pay/money';
import type { NetworkId } from '@svc-pay/protocol';
import type { EventDraft } from '../event/event-draft.ts';
import type { Intent } from '../intent/intent.ts';
import { INTENT_STATUS, INTENT_TRANSITIONS } from '../intent/intent-transitions.ts';
import type { PaidTerms } from '../intent/stored-acceptance.ts';
import type { LaneItem } from '../lane/lane.ts';
import { bookPayment, type SettledPayment } from '../ledger/book-payment.ts';
import type { LedgerEntry } from '../ledger/ledger-entry.ts';
import {
  completedResult,
  type LogProof,
  type PaymentResultDraft,
  type ResultOrigin,
  type SnapshotToChange,
} from '../ledger/payment-result.ts';
import { sharesOf } from '../payment/apply-payment-result.ts';
import type { StoredPayment } from '../payment/payment.ts';
import { draftEvents, eventsFor } from '../payment/payment-events.ts';
import { PAYMENT_STATUS } from '../payment/payment-transitions.ts';
import { transition } from '../transitions.ts';

/** The logs that prove the payment. */
export type ForeignEvidence = {
  readonly network: NetworkId;
  readonly transactionId: string;
  /** The log that the payment names: the processor's event, or the token's transfer of a direct payment. */
  readonly logIndex: number;
  readonly transferLogIndex: number;
  readonly feeAtomic: bigint;
  readonly feeRecipient: string;
  readonly escrowedFor: readonly string[];
};

/** Nobody takes a fee of a direct payment. */
export function directEvidence(network: NetworkId, transactionId: string, transferLogIndex: number): ForeignEvidence {
  return {
    network,
    transactionId,
    logIndex: transferLogIndex,
    transferLogIndex,
    feeAtomic: 0n,
    feeRecipient: '',
    escrowedFor: [],
  };
}

export function foreignSettled(item: LaneItem, evidence: ForeignEvidence): SettledPayment {
  const { network, transactionId, feeRecipient, logIndex, transferLogIndex, feeAtomic, escrowedFor } = evidence;
  return {
    lane: { network, relayer: '' },
    item,
    mined: { paymentId: item.paymentId, outcome: 'settled', logIndex, transferLogIndex, feeAtomic, escrowedFor },
    batch: { transactionId, feeRecipient },
    gasShareAtomic: 0n,
  };
}

/** The pending payment that its intent names is completed. */
export function foreignCompletion(
  read: SnapshotToChange | undefined,
  item: LaneItem,
  evidence: ForeignEvidence,
  origin: ResultOrigin,
): PaymentResultDraft {
  const rates = { gasCoin: undefined, token: undefined };
  return {
    ...completedResult(read, foreignSettled(item, evidence), rates, origin),
    foreignTransactionId: evidence.transactionId,
  };
}

/** Terms of a payment that nobody submitted to us: who was paid what by whom, and under which acceptance. */
export type UnclaimedPayment = {
  readonly owner: Pick<LaneItem, 'accountId' | 'mode' | 'paymentId' | 'intentId' | 'intentCode'>;
  readonly acceptance: PaidTerms;
  readonly payer: string;
  /** What was paid, whatever the acceptance asks for. */
  readonly amountAtomic: bigint;
  /** 0x-hex; of a `pay()`, its transaction id. */
  readonly nonce: string;
};

/** There is no signature that a lane could send. */
export function unclaimedItem({ owner, acceptance, payer, amountAtomic, nonce }: UnclaimedPayment): LaneItem {
  const { payoutId, shares, direct } = acceptance;
  if (shares === undefined) throw new Error(`payout ${payoutId} of intent ${owner.intentId} has no row`);
  const { merchant, feeBps, splits } = shares;
  return {
    ...owner,
    number: 0n,
    asset: acceptance.token.address,
    processor: acceptance.payTo,
    kind: 'transfer_with_authorization',
    byContract: false,
    payer,
    capAtomic: amountAtomic,
    settledAtomic: amountAtomic,
    validAfterSeconds: 0n,
    validBeforeSeconds: 0n,
    nonce,
    signature: '0x',
    payout: { id: payoutId, merchant, feeBps, splits, ...(direct && { direct }) },
    confirmations: acceptance.confirmations,
  };
}

export type MismatchDraft = {
  readonly intent: Intent;
  readonly payment: StoredPayment;
  readonly events: readonly EventDraft[];
  readonly entries: readonly LedgerEntry[];
  readonly proof: LogProof;
};

/** Money that is not what the intent asks for. The merchant is told; a part and a held payment change the intent. */
export function mismatchedPayment(
  { intent: before, eventSequence }: Pick<SnapshotToChange, 'intent' | 'eventSequence'>,
  item: LaneItem,
  { evidence, acceptance, standing, refundDueAtomic, usdPerToken, settlementNumber }: MismatchTerms,
  { requestId, nowMs }: ResultOrigin,
): MismatchDraft {
  const { transactionId, logIndex, network } = evidence;
  const { entries, breakdown } = bookPayment(foreignSettled(item, evidence), { nowMs });
  const amount = atomicAmount(item.settledAtomic);
  const intent = standing === 'aside' ? before : mismatchedIntent(before, acceptance);
  const { token } = acceptance;
  const payment: StoredPayment = {
    id: item.paymentId,
    status: PAYMENT_STATUS.mismatched,
    network,
    tokenSymbol: token.symbol,
    tokenShortcode: token.shortcode,
    usdPerToken,
    asset: item.asset,
    payer: item.payer,
    amount,
    requestedAmount: acceptance.amount,
    paidAmount: amount,
    paidTotal: null,
    refundDueAmount: refundDueAtomic === null ? null : atomicAmount(refundDueAtomic),
    ...sharesOf(breakdown),
    refundedAmount: null,
    failureCode: null,
    transactionId,
    transactionSplitId: `${transactionId}:${logIndex}`,
    settlementNumber,
    createdAtMs: nowMs,
    completedAtMs: null,
    announced: false,
  };
  const after = { intent, payment };
  const caused = eventsFor({ intent: before, payment: null }, after);
  const events = draftEvents(caused, after, { requestId, idempotencyKey: null }, nowMs, eventSequence);
  return {
    intent,
    payment: { ...payment, announced: true },
    events,
    entries,
    proof: { network, transactionId, logIndex },
  };
}

export type MismatchTerms = {
  readonly evidence: ForeignEvidence;
  readonly acceptance: PaidTerms;
  readonly standing: 'part' | 'held' | 'aside';
  readonly refundDueAtomic: bigint | null;
  /** Rate of the acceptance that was paid; null where its intent left and none is kept. */
  readonly usdPerToken: Usd | null;
  readonly settlementNumber: number | null;
};

/** The intent shows the terms that are paid, as a claim would write them. */
function mismatchedIntent(intent: Intent, { amount, token, network, confirmations }: PaidTerms): Intent {
  const status =
    intent.status === INTENT_STATUS.mismatched
      ? intent.status
      : transition(INTENT_TRANSITIONS, intent.status, 'mismatched', 'ordinary', `intent ${intent.id}`);
  const { shortcode: tokenShortcode, address: ledgerId } = token;
  return { ...intent, status, hasParts: true, amount, tokenShortcode, ledgerId, network, confirmations };
}
