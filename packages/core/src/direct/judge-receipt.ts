// Decides what a final `pay()` means. Anybody may call it with any intent code, payout and amount: with a payout or token that
// is not the intent's own it is stored and shown, and changes no intent; with another amount it is judged as such.
import { atomicAmount, breakDown, payoutTerms } from '@svc-pay/money';
import type { NetworkId } from '@svc-pay/protocol';
import type { Intent } from '../intent/intent.ts';
import type { PaidTerms } from '../intent/stored-acceptance.ts';
import type { MismatchPolicy } from '../mismatch/mismatch-policy.ts';
import type { ProcessorLog } from '../reader/money-log.ts';
import { SETTLEMENT_STATUS, type SettlementStatus } from '../settlement/settlement-transitions.ts';
import { sameAddress } from '../token/address.ts';
import { judgeMoney, type MoneyStep } from './judge-money.ts';

export type ReceiptFacts = {
  readonly network: NetworkId;
  readonly blockTimeMs: number;
  /** The intent of the log's code; undefined when no intent of ours has it. */
  readonly intent: Pick<Intent, 'status' | 'expiresAtMs' | 'expectedSender'> | undefined;
  readonly acceptances: readonly PaidTerms[];
  /** Of the intent's account. */
  readonly policy: MismatchPolicy;
  /** Sum of the earlier parts that were paid for an acceptance and count, by its position. */
  readonly earlierParts: ReadonlyMap<number, bigint>;
  /** The log's payout is one of ours. */
  readonly isOwnPayout: boolean;
  /** The intent's pending payment; undefined if it has none. */
  readonly pending: PendingFacts | undefined;
};

export type PendingFacts = {
  readonly settlement: SettlementStatus;
  readonly direct: boolean;
  /** A batch of it reverted, and a reorg may bring it back. */
  readonly revivable: boolean;
};

export type ReceiptRefusal = 'unknown_intent' | 'other_terms' | 'payout_withdrawn' | 'below_minimum';

/** What the money of an acceptance means for its intent. */
export type PaidReceipt = Exclude<MoneyStep, { readonly step: 'unattributed' }> & { readonly acceptance: PaidTerms };

export type ReceiptStep =
  | PaidReceipt
  | { readonly step: 'unattributed'; readonly reason: ReceiptRefusal }
  /** Neither the code nor the payout is ours: another installation uses the processor. */
  | { readonly step: 'ignore'; readonly reason: 'not_ours' };

export function judgeReceipt(log: ProcessorLog, facts: ReceiptFacts): ReceiptStep {
  const { intent, network, blockTimeMs } = facts;
  if (intent === undefined)
    return facts.isOwnPayout ? unattributed('unknown_intent') : { step: 'ignore', reason: 'not_ours' };
  const offers = facts.acceptances.filter((offered) => isOffer(offered, log, network));
  const acceptance = offers.find(({ amount }) => amount === log.amountAtomic) ?? offers[0];
  if (acceptance === undefined || feeOf(acceptance, log.amountAtomic) !== log.feeAtomic)
    return unattributed('other_terms');
  if (acceptance.payoutWithdrawn) return unattributed('payout_withdrawn');
  const earlierAtomic = facts.earlierParts.get(acceptance.position) ?? 0n;
  const money = { payer: log.payer, blockTimeMs, amountAtomic: log.amountAtomic };
  const removable = isRemovable(facts.pending);
  const step = judgeMoney({ intent, acceptance, policy: facts.policy, earlierAtomic, removable }, money);
  return step.step === 'unattributed' ? step : { ...step, acceptance };
}

const unattributed = (reason: ReceiptRefusal): ReceiptStep => ({ step: 'unattributed', reason });

/** The money went to the payout of the acceptance, in its token. */
function isOffer(offered: PaidTerms, log: ProcessorLog, network: NetworkId): boolean {
  return (
    offered.scheme === 'exact' &&
    offered.direct === undefined &&
    offered.network === network &&
    sameAddress(offered.payTo, log.address) &&
    sameAddress(offered.token.address, log.asset) &&
    offered.payoutId === log.payoutId
  );
}

/** Undefined when the payout has no terms by which the amount can be divided. */
function feeOf({ shares }: PaidTerms, paidAtomic: bigint): bigint | undefined {
  const terms = shares && payoutTerms(shares);
  if (terms === undefined || !terms.ok) return undefined;
  const amount = atomicAmount(paidAtomic);
  const broken = breakDown(amount, amount, terms.terms);
  return broken.ok ? broken.breakdown.feeAtomic : undefined;
}

/** Nothing of a queued payment is on its way. That of a direct one may be submitted by whoever has seen it. */
export function isRemovable(pending: PendingFacts | undefined): boolean {
  return pending?.settlement === SETTLEMENT_STATUS.queued && !pending.direct && !pending.revivable;
}
