// What an item's outcome means for its payment. Called failed is only what certainly moved no money; where the chain says
// that an authorization is used or an intent settled, somebody did it, and until that is proven the payment is held.
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type { MinedItem } from './lane-chain.ts';

export type Judgement =
  | { readonly end: 'failed'; readonly code: ErrorCode }
  /** Neither sent again nor called failed. */
  | { readonly end: 'held' }
  /** Nothing is wrong with it; it goes again. */
  | { readonly end: 'queued' };

export type UnsettledOutcome = Exclude<MinedItem['outcome'], 'settled'>;

const failed = (code: ErrorCode): Judgement => ({ end: 'failed', code });
const HELD: Judgement = { end: 'held' };
const QUEUED: Judgement = { end: 'queued' };

const JUDGEMENTS: Readonly<Record<UnsettledOutcome, Judgement>> = {
  payout_inactive: failed('x402_temporarily_unavailable'),
  amount_out_of_range: failed('amount_mismatch'),
  nonce_not_bound: failed('acceptance_mismatch'),
  malformed: failed('invalid_payment_header'),
  expired: failed('authorization_expired'),
  insufficient_funds: failed('insufficient_funds'),
  pull_refused: failed('token_refused'),
  not_yet_valid: QUEUED,
  reverted: QUEUED,
  authorization_used: HELD,
  intent_already_settled: HELD,
  // The token said yes and moved nothing: some do that for a used nonce.
  nothing_arrived: HELD,
  no_evidence: HELD,
};

/** For an item that never left the machine, or that a finalized block shows unsettled. Never before. */
export function judgeItem(outcome: UnsettledOutcome): Judgement {
  return JUDGEMENTS[outcome];
}
