// Decides what a final `pay()` means. Anybody may call it with any intent code, payout and amount, so it credits an intent
// only where all of them are the intent's own; anything else is stored and shown, and changes no intent.
import { breakDown, payoutTerms } from '@svc-pay/money';
import type { NetworkId } from '@svc-pay/protocol';
import type { Intent } from '../intent/intent.ts';
import { INTENT_STATUS } from '../intent/intent-transitions.ts';
import type { PaidTerms } from '../intent/stored-acceptance.ts';
import type { ProcessorLog } from '../reader/money-log.ts';
import { SETTLEMENT_STATUS, type SettlementStatus } from '../settlement/settlement-transitions.ts';
import { sameAddress } from '../token/address.ts';
import { type CreditRefusal, termsRefusal } from './judge-credit.ts';

export type ReceiptFacts = {
  readonly network: NetworkId;
  readonly blockTimeMs: number;
  /** The intent of the log's code; undefined when no intent of ours has it. */
  readonly intent: Pick<Intent, 'status' | 'expiresAtMs' | 'expectedSender'> | undefined;
  readonly acceptances: readonly PaidTerms[];
  /** The log's payout is one of ours. */
  readonly isOwnPayout: boolean;
  /** The intent's pending payment; undefined if it has none. */
  readonly pending:
    | {
        readonly settlement: SettlementStatus;
        readonly direct: boolean;
        /** A batch of it reverted, and a reorg may bring it back. */
        readonly revivable: boolean;
      }
    | undefined;
};

export type ReceiptRefusal =
  | CreditRefusal
  | 'unknown_intent'
  | 'other_terms'
  | 'payout_withdrawn'
  /** A payment of the intent is sent already, or may be submitted by anybody. */
  | 'payment_under_way';

export type ReceiptStep =
  /** `removes`: the queued payment fails first. */
  | { readonly step: 'credit'; readonly acceptance: PaidTerms; readonly removes: boolean }
  | { readonly step: 'unattributed'; readonly reason: ReceiptRefusal }
  /** Neither the code nor the payout is ours: another installation uses the processor. */
  | { readonly step: 'ignore'; readonly reason: 'not_ours' };

export function judgeReceipt(log: ProcessorLog, facts: ReceiptFacts): ReceiptStep {
  const { intent, network, blockTimeMs } = facts;
  if (intent === undefined)
    return facts.isOwnPayout ? unattributed('unknown_intent') : { step: 'ignore', reason: 'not_ours' };
  const acceptance = facts.acceptances.find((offered) => isPaid(offered, log, network));
  if (acceptance === undefined || feeOf(acceptance) !== log.feeAtomic) return unattributed('other_terms');
  if (acceptance.payoutWithdrawn) return unattributed('payout_withdrawn');
  const refused = termsRefusal(intent, acceptance, { payer: log.payer, blockTimeMs });
  if (refused !== undefined) return unattributed(refused);
  if (intent.status === INTENT_STATUS.requires_payment) return { step: 'credit', acceptance, removes: false };
  if (intent.status !== INTENT_STATUS.processing) return unattributed('intent_not_payable');
  return isRemovable(facts.pending) ? { step: 'credit', acceptance, removes: true } : unattributed('payment_under_way');
}

const unattributed = (reason: ReceiptRefusal): ReceiptStep => ({ step: 'unattributed', reason });

function isPaid(offered: PaidTerms, log: ProcessorLog, network: NetworkId): boolean {
  return (
    offered.scheme === 'exact' &&
    offered.direct === undefined &&
    offered.network === network &&
    sameAddress(offered.payTo, log.address) &&
    sameAddress(offered.token.address, log.asset) &&
    offered.payoutId === log.payoutId &&
    offered.amount === log.amountAtomic
  );
}

/** Undefined when the payout has no terms by which the amount can be divided. */
function feeOf({ shares, amount }: PaidTerms): bigint | undefined {
  const terms = shares && payoutTerms(shares);
  if (terms === undefined || !terms.ok) return undefined;
  const broken = breakDown(amount, amount, terms.terms);
  return broken.ok ? broken.breakdown.feeAtomic : undefined;
}

/** Nothing of a queued payment is on its way. That of a direct one may be submitted by whoever has seen it. */
function isRemovable(pending: ReceiptFacts['pending']): boolean {
  return pending?.settlement === SETTLEMENT_STATUS.queued && !pending.direct && !pending.revivable;
}
