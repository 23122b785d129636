// Decides whether a payment can be refunded, how much, to whom and from where. Pure: what the chain says is asked before.
import type { PaymentStatus } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type { Id } from '@svc-pay/protocol/ids';
import { PAYMENT_STATUS } from '../payment/payment-transitions.ts';
import { sameAddress } from '../token/address.ts';
import { LEAST_REFUND_PART, MAX_SIGNED_REFUNDS, type StoredRefund } from './refund.ts';

/** Sums of a payment's refunds, in the smallest unit: `refunded + reserved` is at most `paid`. */
export type RefundTotals = {
  readonly paidAtomic: bigint;
  readonly refundedAtomic: bigint;
  readonly reservedAtomic: bigint;
};

export const leftToRefund = ({ paidAtomic, refundedAtomic, reservedAtomic }: RefundTotals): bigint =>
  paidAtomic - refundedAtomic - reservedAtomic;

/** The least that a relayer carries: never more than what the policy of the account still gives back. */
export function leastRefund({ totals, dueAtomic }: Pick<RefundablePayment, 'totals' | 'dueAtomic'>): bigint {
  const [left, part] = [leftToRefund(totals), (totals.paidAtomic + LEAST_REFUND_PART - 1n) / LEAST_REFUND_PART];
  const due = (dueAtomic ?? 0n) - totals.refundedAtomic - totals.reservedAtomic;
  const least = part < left ? part : left;
  return due > 0n && due < least ? due : least;
}

/** A payment with all that its refund needs. */
export type RefundablePayment = Pick<
  StoredRefund,
  'accountId' | 'mode' | 'intentId' | 'intentCode' | 'network' | 'asset' | 'tokenShortcode'
> & {
  readonly paymentId: Id<'payment'>;
  /** `svc.installation.id`. */
  readonly installation: string;
  readonly status: PaymentStatus;
  /** Its block is final, or the chain reader found it, which applies final blocks alone. */
  readonly final: boolean;
  /** Null after the payer's data were erased. */
  readonly payer: string | null;
  /** The payer's signature was verified by a contract wallet. */
  readonly byContract: boolean;
  readonly totals: RefundTotals;
  /** What the policy of the account gives back of it, refunded or not. Null: nothing. */
  readonly dueAtomic: bigint | null;
  /** Sequence of the next signed refund. */
  readonly nextSequence: number;
  /** The merchant's wallet of the payout that was paid; null where the payout is not known any more. */
  readonly wallet: string | null;
  /** Every wallet that payouts of the account pay on this network in this mode. */
  readonly wallets: readonly string[];
};

export type RefundRequest = {
  /** Absent: all that is left. */
  readonly amountAtomic?: bigint | undefined;
  /** The merchant names another wallet of the account. */
  readonly from?: string | undefined;
  readonly refundTo?: string | undefined;
};

export type RefundTerms = { readonly amountAtomic: bigint; readonly wallet: string };

export type JudgedRefund<Terms> =
  | ({ readonly ok: true } & Terms)
  | { readonly ok: false; readonly code: Extract<ErrorCode, `refund_${string}` | 'not_found'> };

const REFUNDABLE: ReadonlySet<PaymentStatus> = new Set([PAYMENT_STATUS.completed, PAYMENT_STATUS.mismatched]);

const refused = (code: Extract<ErrorCode, `refund_${string}` | 'not_found'>) => ({ ok: false, code }) as const;

/** Amount and wallet. The recipient is judged by `judgeRecipient`, with what the chain says of the payer. */
export function judgeRefund(
  payment: RefundablePayment,
  { amountAtomic, from }: RefundRequest,
): JudgedRefund<RefundTerms> {
  const left = leftToRefund(payment.totals);
  if (payment.status === PAYMENT_STATUS.refunded) return refused('refund_exceeds_paid');
  if (!REFUNDABLE.has(payment.status)) return refused('refund_not_possible');
  if (!payment.final) return refused('refund_payment_not_final');
  const amount = amountAtomic ?? left;
  if (amount <= 0n || amount > left) return refused('refund_exceeds_paid');
  const wallet = from ?? payment.wallet;
  const known = wallet !== null && payment.wallets.find((one) => sameAddress(one, wallet));
  return known ? { ok: true, amountAtomic: amount, wallet: known } : refused('refund_wallet_unknown');
}

/**
 * A relayer pays for a signed refund: a merchant who pays himself must not have it send parts for ever, nor grains. Undefined:
 * it may be prepared. A transfer that the merchant made costs nobody else, and is not judged here.
 */
export function judgeSigned(
  { nextSequence, ...payment }: Pick<RefundablePayment, 'totals' | 'dueAtomic' | 'nextSequence'>,
  amountAtomic: bigint,
): 'refund_signatures_used_up' | 'refund_too_small' | undefined {
  if (nextSequence > MAX_SIGNED_REFUNDS) return 'refund_signatures_used_up';
  return amountAtomic < leastRefund(payment) ? 'refund_too_small' : undefined;
}

/**
 * `canReceive`: the payer can be paid on this chain now. False for a contract wallet without code on the chain, and on Solana
 * where the payer has no token account, or a frozen one.
 */
export function judgeRecipient(
  { payer }: Pick<RefundablePayment, 'payer'>,
  { refundTo }: Pick<RefundRequest, 'refundTo'>,
  canReceive: boolean,
): JudgedRefund<{ readonly recipient: string }> {
  if (payer !== null && canReceive) {
    if (refundTo !== undefined && !sameAddress(refundTo, payer)) return refused('refund_to_not_needed');
    return { ok: true, recipient: payer };
  }
  return refundTo === undefined ? refused('refund_recipient_needed') : { ok: true, recipient: refundTo };
}
