// Decides what the outcome of an authorization means, for a held payment and for one that has a result or none yet.
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type { MinedBatch } from '../lane/lane-chain.ts';
import { SETTLEMENT_STATUS } from '../settlement/settlement-transitions.ts';
import type { WatchLogEvent } from '../watch/watch-log.ts';
import type { HeldVerdict } from './authorization-chain.ts';
import type { AuthorizationOutcome } from './authorization-outcome.ts';
import type { Stranding } from './book-stranding.ts';

export type OutcomeDecision =
  | { readonly action: 'wait' }
  /** The held payment goes back to the queue. */
  | { readonly action: 'queue' }
  /** The held payment is completed by the chain's proof. */
  | { readonly action: 'complete'; readonly mined: MinedBatch }
  /** The held payment fails: its authorization is gone, and its money did not reach us. */
  | {
      readonly action: 'fail';
      readonly code: ErrorCode;
      readonly event: WatchLogEvent;
      readonly transactionId: string | null;
    }
  /** The money is with the processor; the store decides whether it is held, settled or returned. */
  | { readonly action: 'record_stranding'; readonly position: Stranding }
  /** The authorization is used up and moved no money to us: it needs no further check. */
  | { readonly action: 'close' }
  /** A person must look; the authorization stays open. */
  | { readonly action: 'report'; readonly event: WatchLogEvent; readonly transactionId?: string };

export function decideOnHeld(held: HeldVerdict): OutcomeDecision {
  if (held.verdict === 'free') return { action: 'queue' };
  if (held.verdict === 'undecided') return { action: 'wait' };
  if (held.verdict === 'untraceable') return { action: 'report', event: 'held_payment_without_transaction' };
  return decideOnOutcome(SETTLEMENT_STATUS.held, held.outcome);
}

/** `settlement`: status of the settlement for which the authorization was traced; null when no payment claims it. */
export function decideOnOutcome(settlement: string | null, outcome: AuthorizationOutcome): OutcomeDecision {
  if (outcome.outcome === 'stranded') {
    const { transactionId, logIndex } = outcome;
    return { action: 'record_stranding', position: { transactionId, logIndex } };
  }
  return settlement === SETTLEMENT_STATUS.held ? decideHeld(outcome) : decideOther(outcome);
}

type Unstranded = Exclude<AuthorizationOutcome, { readonly outcome: 'stranded' }>;

function decideHeld(told: Unstranded): OutcomeDecision {
  if (told.outcome === 'settled') return { action: 'complete', mined: told.mined };
  // The nodes keep no logs from that time.
  if (told.outcome === 'untold') return { action: 'report', event: 'held_payment_unexplained' };
  const { outcome, transactionId } = told;
  if (outcome === 'burned')
    return { action: 'fail', code: 'authorization_already_used', event: 'authorization_burned', transactionId };
  return { action: 'fail', code: 'intent_not_payable', event: 'intent_settled_by_other_authorization', transactionId };
}

/** Of a payment that failed or was canceled, or of an authorization without a payment. */
function decideOther(told: Unstranded): OutcomeDecision {
  if (told.outcome === 'burned') return { action: 'close' };
  if (told.outcome !== 'settled') return { action: 'report', event: 'authorization_use_unexplained' };
  return { action: 'report', event: 'failed_payment_settled', transactionId: told.mined.transactionId };
}
