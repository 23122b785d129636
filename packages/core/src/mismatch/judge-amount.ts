// Decides what money means that reached the payout of an intent in the token that the intent asks for, whatever its amount
// and its time. Another token or payout never comes here: such money is for no intent of ours.
import { divide } from '@svc-pay/money';
import type { MismatchHandling } from './mismatch-policy.ts';

/** What is asked, in the smallest unit of the token. */
export type AmountTerms = {
  readonly askedAtomic: bigint;
  /** The minimum of the acceptance; zero for none. */
  readonly minimumAtomic: bigint;
  /** A sum that differs from the asked amount by at most this much pays it. Of it at most a tenth of what is asked counts. */
  readonly toleranceAtomic: bigint;
  readonly over: MismatchHandling;
  readonly under: MismatchHandling;
};

/**
 * The intent when the money arrived. `payable`: unpaid, or paid in part. `ended`: canceled or failed. `late`: the block is
 * after the expiry of the intent, or after the end of its price. `under_way`: another payment of it may still move money.
 */
export type AmountSituation = 'payable' | 'ended' | 'late' | 'completed' | 'under_way' | 'other_sender';

export type PaidAmount = {
  readonly paidAtomic: bigint;
  /** Sum of the earlier parts of the same intent and acceptance that count: what was or is being refunded does not. */
  readonly earlierAtomic: bigint;
  readonly situation: AmountSituation;
};

export type AmountVerdict =
  /** Stored and shown, without a payment and without events: a unit on every open code is no payment. */
  | { readonly outcome: 'unattributed'; readonly reason: 'below_minimum' }
  /** A `mismatched` payment that counts towards the sum. The intent is `mismatched` and still payable. */
  | { readonly outcome: 'part' }
  /** The payment is completed, and with it the intent. */
  | {
      readonly outcome: 'complete';
      /** This payment and the earlier parts. */
      readonly paidTotalAtomic: bigint;
      readonly refundDueAtomic: bigint | null;
    }
  /** A `mismatched` payment of more than asked, which the merchant accepts or refunds. The intent is `mismatched`. */
  | { readonly outcome: 'held' }
  /** A `mismatched` payment beside the intent, which does not change. */
  | { readonly outcome: 'aside'; readonly refundDueAtomic: bigint | null };

/** Of a part: one hundredth of what is asked. */
const SMALLEST_PART = 100n;

/** Of what is asked: one tenth. An absolute tolerance may exceed a small price, and then nearly nothing would pay it. */
const GREATEST_TOLERANCE = 10n;

export function judgeAmount(given: AmountTerms, paid: PaidAmount): AmountVerdict {
  const terms = { ...given, toleranceAtomic: toleranceOf(given) };
  const { askedAtomic, toleranceAtomic, over, under } = terms;
  const { paidAtomic, earlierAtomic, situation } = paid;
  if (paidAtomic < floorOf(terms, paid)) return { outcome: 'unattributed', reason: 'below_minimum' };
  if (situation !== 'payable') return aside(over, paidAtomic);
  const paysAsked = (sum: bigint): boolean =>
    sum >= askedAtomic - toleranceAtomic && sum <= askedAtomic + toleranceAtomic;
  const total = earlierAtomic + paidAtomic;
  // Whoever pays the whole pays the intent, whatever parts strangers paid before.
  if (paysAsked(paidAtomic) || paysAsked(total)) return complete(terms, paid);
  if (earlierAtomic > 0n && earlierAtomic >= askedAtomic - toleranceAtomic) return aside(over, paidAtomic);
  // What strangers paid before holds up nobody who pays no more than asked.
  if (total > askedAtomic)
    return over === 'hold' && paidAtomic > askedAtomic ? { outcome: 'held' } : complete(terms, paid);
  if (under === 'accept') return complete(terms, paid);
  return under === 'hold' ? { outcome: 'part' } : aside(under, paidAtomic);
}

function toleranceOf({ askedAtomic, toleranceAtomic }: AmountTerms): bigint {
  const most = divide(askedAtomic, GREATEST_TOLERANCE, 'down');
  return toleranceAtomic < most ? toleranceAtomic : most;
}

/** The least that is a payment. Whatever remains to be paid is one, however little it is. */
function floorOf({ askedAtomic, minimumAtomic }: AmountTerms, { earlierAtomic, situation }: PaidAmount): bigint {
  const share = divide(askedAtomic, SMALLEST_PART, 'up');
  const least = minimumAtomic > share ? minimumAtomic : share;
  const remains = askedAtomic - earlierAtomic;
  const most = situation === 'payable' && remains > 0n ? remains : askedAtomic;
  return least < most ? least : most;
}

function complete(terms: AmountTerms, { paidAtomic, earlierAtomic }: PaidAmount): AmountVerdict {
  const paidTotalAtomic = earlierAtomic + paidAtomic;
  const surplus = paidTotalAtomic - terms.askedAtomic;
  if (terms.over === 'accept' || surplus <= terms.toleranceAtomic)
    return { outcome: 'complete', paidTotalAtomic, refundDueAtomic: null };
  // No more is due of a payment than it paid: the rest is due of the parts.
  return { outcome: 'complete', paidTotalAtomic, refundDueAtomic: surplus < paidAtomic ? surplus : paidAtomic };
}

const aside = (handling: MismatchHandling, paidAtomic: bigint): AmountVerdict => ({
  outcome: 'aside',
  refundDueAtomic: handling === 'refund' ? paidAtomic : null,
});
