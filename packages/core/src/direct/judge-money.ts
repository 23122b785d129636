// Decides what money means for the intent whose acceptance it was paid for, from the state of the intent and the amount:
// `pay()` of a processor, the use of a direct authorization that nobody claimed, and a transfer that was found by its
// reference.
import type { Rate, UsdMicros } from '@svc-pay/money';
import { ENDED_INTENT, INTENT_STATUS } from '../intent/intent-transitions.ts';
import { isOpenToPay } from '../intent/is-payable.ts';
import type { PaidTerms } from '../intent/stored-acceptance.ts';
import { type AmountSituation, type AmountVerdict, judgeAmount } from '../mismatch/judge-amount.ts';
import { amountTerms, type MismatchPolicy } from '../mismatch/mismatch-policy.ts';
import { type CreditedIntent, type CreditRefusal, termsRefusal } from './judge-credit.ts';

/** The terms of late money lack rate and minimum. */
export type AskedTerms = Pick<PaidTerms, 'amount' | 'priceEndsAtMs'> & {
  readonly rate?: Rate;
  readonly minimumUsdMicros?: UsdMicros | null;
};

export type MoneyFacts = {
  readonly intent: CreditedIntent;
  readonly acceptance: AskedTerms;
  readonly policy: MismatchPolicy;
  /** Sum of the earlier parts that were paid for this acceptance and count. */
  readonly earlierAtomic: bigint;
  /** Another payment of the intent is pending, and nothing of it is on its way: it may fail first. */
  readonly removable: boolean;
};

export type ReceivedMoney = {
  readonly payer: string;
  readonly blockTimeMs: number;
  readonly amountAtomic: bigint;
};

export type MismatchReason = CreditRefusal | 'payment_under_way' | 'underpaid' | 'overpaid';

/** What a payment tells beside its amount; null where there is nothing to tell. */
export type PaidTotals = { readonly paidTotalAtomic: bigint | null; readonly refundDueAtomic: bigint | null };

export type MoneyStep =
  /** The intent is paid. `removes`: the queued payment fails first. */
  | ({ readonly step: 'credit'; readonly removes: boolean } & PaidTotals)
  /** A `mismatched` payment. `part` and `held` count towards the sum and change the intent, `aside` does not. */
  | {
      readonly step: 'mismatch';
      readonly standing: 'part' | 'held' | 'aside';
      readonly reason: MismatchReason;
      readonly refundDueAtomic: bigint | null;
    }
  | { readonly step: 'unattributed'; readonly reason: 'below_minimum' };

export function judgeMoney(facts: MoneyFacts, money: ReceivedMoney): MoneyStep {
  const { earlierAtomic, removable } = facts;
  const terms = amountTerms(facts.policy, facts.acceptance);
  const judge = (situation: AmountSituation) =>
    judgeAmount(terms, { paidAtomic: money.amountAtomic, earlierAtomic, situation });
  const refusal = refusalOf(facts, money);
  if (refusal === undefined) return stepOf(judge('payable'), facts, money, false);
  // The money pays the intent instead of a header that nobody has sent. Less than that leaves the header in its place.
  const paid = refusal === 'payment_under_way' && removable ? judge('payable') : undefined;
  if (paid?.outcome === 'complete') return stepOf(paid, facts, money, true);
  const verdict = judge(SITUATIONS[refusal](facts.intent));
  return verdict.outcome === 'aside'
    ? { step: 'mismatch', standing: 'aside', reason: refusal, refundDueAtomic: verdict.refundDueAtomic }
    : { step: 'unattributed', reason: 'below_minimum' };
}

/** Why the money does not pay the intent, whatever its amount. */
function refusalOf(
  { intent, acceptance }: MoneyFacts,
  money: ReceivedMoney,
): CreditRefusal | 'payment_under_way' | undefined {
  if (ENDED_INTENT.some((status) => status === intent.status)) return 'intent_not_payable';
  return termsRefusal(intent, acceptance, money) ?? (isOpenToPay(intent) ? undefined : 'payment_under_way');
}

const SITUATIONS: Readonly<
  Record<CreditRefusal | 'payment_under_way', (intent: CreditedIntent) => Exclude<AmountSituation, 'payable'>>
> = {
  intent_not_payable: ({ status }) => (status === INTENT_STATUS.completed ? 'completed' : 'ended'),
  intent_expired: () => 'late',
  price_ended: () => 'late',
  other_sender: () => 'other_sender',
  payment_under_way: () => 'under_way',
};

function stepOf(
  verdict: AmountVerdict,
  { acceptance, earlierAtomic }: MoneyFacts,
  { amountAtomic }: ReceivedMoney,
  removes: boolean,
): MoneyStep {
  const isWhole = amountAtomic === acceptance.amount && earlierAtomic === 0n;
  const reason = earlierAtomic + amountAtomic > acceptance.amount ? 'overpaid' : 'underpaid';
  if (verdict.outcome === 'unattributed') return { step: 'unattributed', reason: verdict.reason };
  if (verdict.outcome === 'complete') {
    const { paidTotalAtomic, refundDueAtomic } = verdict;
    return { step: 'credit', removes, paidTotalAtomic: isWhole ? null : paidTotalAtomic, refundDueAtomic };
  }
  const refundDueAtomic = verdict.outcome === 'aside' ? verdict.refundDueAtomic : null;
  return { step: 'mismatch', standing: verdict.outcome, reason, refundDueAtomic };
}
