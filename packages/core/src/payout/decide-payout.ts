// Decides what an operator's request to set a payout writes.
import type { PayoutTerms } from '@svc-pay/money';
import type { NetworkId } from '@svc-pay/protocol';
import type { Mode } from '../account/mode.ts';
import { type Payout, sameShares } from './payout.ts';

export type PayoutRequest = {
  readonly accountId: string;
  readonly mode: Mode;
  readonly network: NetworkId;
  /** Stored in lower case if the network's addresses are case-insensitive. */
  readonly processor: string;
  readonly merchant: string;
  readonly terms: PayoutTerms;
  readonly status: 'pending' | 'active';
  /** Default: the id that already has these terms, or else the processor's next free id. */
  readonly payoutId?: bigint;
};

export type PayoutSet =
  | { readonly ok: true; readonly payout: Payout; readonly change: 'created' | 'status' | 'none' }
  | {
      readonly ok: false;
      readonly code: 'account_unknown' | 'payout_terms_fixed' | 'payout_of_other_account' | 'payout_disabled';
    };

export type PayoutFacts = {
  /** With a requested id: the payout of that id, whoever owns it. Without: the account's newest payout. */
  readonly found: Payout | undefined;
  /** Highest id at the processor, of all accounts; zero if there is none. */
  readonly highestId: bigint;
};

export type PayoutDecision =
  | { readonly step: 'create'; readonly payoutId: bigint }
  /** The payout gets the requested status. */
  | { readonly step: 'change_status'; readonly payout: Payout }
  | { readonly step: 'keep'; readonly payout: Payout }
  | { readonly step: 'refuse'; readonly code: 'payout_terms_fixed' | 'payout_of_other_account' | 'payout_disabled' };

export function decidePayout(request: PayoutRequest, { found, highestId }: PayoutFacts): PayoutDecision {
  const { accountId, mode, merchant, terms, payoutId, status } = request;
  const same = found !== undefined && sameShares(found, { merchant, ...terms });
  if (payoutId === undefined) {
    // Going back to earlier terms takes a new id, so that the newest payout is the one that new intents use.
    if (found === undefined || found.status === 'disabled' || !same)
      return { step: 'create', payoutId: highestId + 1n };
  } else if (found === undefined) return { step: 'create', payoutId };
  if (found.accountId !== accountId || found.mode !== mode) return { step: 'refuse', code: 'payout_of_other_account' };
  if (!same) return { step: 'refuse', code: 'payout_terms_fixed' };
  // The chain has retired the payout or is about to. If enabled again, it would offer what cannot be settled.
  if (found.status === 'disabled') return { step: 'refuse', code: 'payout_disabled' };
  // An active payout stays active: a repeated `pending` must not withdraw it from new intents.
  const unchanged = found.status === status || found.status === 'active';
  return { step: unchanged ? 'keep' : 'change_status', payout: found };
}
