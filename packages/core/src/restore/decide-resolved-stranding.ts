// Decides how a stranded transfer is restored that the chain has settled or returned: which payment it belongs to, and what
// that payment must be before the lane of stranded transfers records the transaction.
import { OPEN_SETTLEMENT, type OpenSettlement, SETTLEMENT_STATUS } from '../settlement/settlement-transitions.ts';
import type { IntentOwner, StoredPaymentState, StoredSettlement } from './decide-restored-payment.ts';
import type { ResolvedStranding } from './on-chain-transaction.ts';

export type ResolvedStrandingStep =
  /** The payment exists. `from`: it is open, and becomes `held` for a settle and fails for a return. */
  | { readonly step: 'use'; readonly settlement: StoredSettlement; readonly from: OpenSettlement | undefined }
  /** The payment was lost: it is written by `resumePayment`, or by `adoptPayment` without an owner, and held. */
  | { readonly step: 'write'; readonly owner: IntentOwner | undefined }
  | { readonly step: 'known' }
  | { readonly step: 'refuse'; readonly reason: string };

const refuse = (reason: string): ResolvedStrandingStep => ({ step: 'refuse', reason });

export function decideResolvedStranding(
  resolved: ResolvedStranding,
  { claim, owner }: StoredPaymentState,
  batch: { readonly recorded: boolean },
): ResolvedStrandingStep {
  if (batch.recorded) return { step: 'known' };
  // A return names no intent, so it has no owner.
  if (resolved.action === 'settle' && claim !== undefined && claim.intentId !== owner?.intentId)
    return refuse('its authorization is claimed for another intent');
  const settlement = claim?.settlement;
  if (settlement === undefined) {
    if (resolved.action === 'return')
      return refuse('it returned money to a payer, and the database has no payment that the money was for');
    return { step: 'write', owner };
  }
  const from = OPEN_SETTLEMENT.find((one) => one === settlement.status);
  if (settlement.status === SETTLEMENT_STATUS.completed) return refuse('the books call its payment completed');
  if (resolved.action === 'return') return { step: 'use', settlement, from };
  if (from === undefined) return refuse(`the books call its payment ${settlement.status}`);
  if (settlement.settledAtomic !== resolved.carried.settledAtomic)
    return refuse(`the chain settled ${resolved.carried.settledAtomic}, its order was ${settlement.settledAtomic}`);
  return { step: 'use', settlement, from };
}
