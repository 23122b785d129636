// Decides what the use of a direct authorization means that has no claim: one that was refused, or a bound nonce that
// nobody submitted to us.
import type { StoredAcceptance } from '../intent/stored-acceptance.ts';
import type { MismatchPolicy } from '../mismatch/mismatch-policy.ts';
import type { WalletUse } from '../payout/activation.ts';
import type { UseFacts } from './judge-claimed-use.ts';
import type { CreditedIntent } from './judge-credit.ts';
import { type AskedTerms, judgeMoney, type MoneyStep } from './judge-money.ts';
import { provesPayment, type SignedTransferTerms } from './proves-payment.ts';

export type LandingFacts = {
  readonly signed: SignedTransferTerms;
  readonly bound: boolean;
  /** The block at which it was seen unused when it was refused; null for a nonce that was never submitted to us. */
  readonly unusedAtBlock: bigint | null;
  readonly use: WalletUse;
  readonly intent: CreditedIntent;
  readonly acceptance: AskedTerms & Pick<StoredAcceptance, 'payoutWithdrawn'>;
  readonly policy: MismatchPolicy;
  /** Sum of the earlier parts that were paid for the acceptance. */
  readonly earlierAtomic: bigint;
  /** The activation of the payout does not hold for this process. */
  readonly activationRefused: boolean;
};

export type LandingStep =
  | Exclude<MoneyStep, { readonly step: 'unattributed' }>
  | { readonly step: 'unattributed'; readonly reason: string }
  | { readonly step: 'ignore'; readonly reason: string };

export function judgeLanding(
  landing: LandingFacts,
  use: Omit<UseFacts, 'ownTransaction' | 'transactionId'> & { readonly blockTimeMs: number },
): LandingStep {
  const { signed, bound, unusedAtBlock, use: walletUse, intent, acceptance, activationRefused } = landing;
  if (!provesPayment(signed, use.transfer)) return { step: 'ignore', reason: 'used_elsewhere' };
  if (!bound && (unusedAtBlock === null || use.blockNumber <= unusedAtBlock))
    return { step: 'ignore', reason: 'used_before_refusal' };
  if (use.transferTaken) return { step: 'ignore', reason: 'transfer_taken' };
  // Whose wallet it is, only the activation says.
  if (acceptance.payoutWithdrawn || activationRefused) return { step: 'unattributed', reason: 'payout_withdrawn' };
  if (!bound && walletUse === 'shared') return { step: 'unattributed', reason: 'shared_wallet' };
  const { payer, amountAtomic } = signed;
  const { policy, earlierAtomic } = landing;
  // Another payment of the intent is never removed for it: whoever has seen that one may submit it as well.
  const facts = { intent, acceptance, policy, earlierAtomic, removable: false };
  return judgeMoney(facts, { payer, blockTimeMs: use.blockTimeMs, amountAtomic });
}

/**
 * Of several intents for which one authorization was refused, the index of the one that it concerns: the first that it
 * pays, else the first that it does not leave untouched, else the first.
 */
export function chooseLanding(steps: readonly LandingStep[]): number {
  const paid = steps.findIndex(({ step }) => step === 'credit');
  if (paid !== -1) return paid;
  return Math.max(
    steps.findIndex(({ step }) => step !== 'ignore'),
    0,
  );
}
