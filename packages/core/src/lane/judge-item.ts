// Decides what an item outcome means for its payment. A payment is failed only if no money can have moved. If the chain
// says that the authorization is used or the intent settled, the payment is held until it is proven who did it.
//
// A direct payment never fails by a refusal: its signature pays the merchant whoever submits it, until it expires. It is
// held with the refusal, and the chain reader or the end of its window decides.
import type { ErrorCode } from '@svc-pay/protocol/errors';
import { isDirect, type LaneItem } from './lane.ts';
import type { MinedItem } from './lane-chain.ts';

export type Judgement =
  | { readonly end: 'failed'; readonly code: ErrorCode }
  /**
   * The payment is neither sent again nor failed. `refusal`: why the chain refused a direct payment; the payer may submit
   * the same header again.
   */
  | { readonly end: 'held'; readonly refusal?: ErrorCode }
  /** The payment is sound and is sent again. */
  | { readonly end: 'queued' };

export type UnsettledOutcome = Exclude<MinedItem['outcome'], 'settled'>;
/** `gas_budget_spent`: a payment of the solo queue that was not sent, because a gas budget is spent. */
export type UnsentOutcome = UnsettledOutcome | 'gas_budget_spent';

const failed = (code: ErrorCode): Judgement => ({ end: 'failed', code });
const HELD: Judgement = { end: 'held' };
const QUEUED: Judgement = { end: 'queued' };

const refused = (refusal: ErrorCode): Judgement => ({ end: 'held', refusal });

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
  refused_for_now: QUEUED,
  // The simulation passed and the single transaction reverted: sending it again would burn the same gas again.
  reverted_alone: failed('token_refused'),
  authorization_used: HELD,
  intent_already_settled: HELD,
  // The token's transfer succeeded and moved nothing: some tokens do that for a used nonce.
  nothing_arrived: HELD,
  no_evidence: HELD,
};

/** Outcomes that only a processor has stand here too: they conclude nothing about a direct payment. */
const DIRECT_JUDGEMENTS: Readonly<Record<UnsettledOutcome, Judgement>> = {
  payout_inactive: HELD,
  amount_out_of_range: HELD,
  nonce_not_bound: HELD,
  intent_already_settled: HELD,
  nothing_arrived: HELD,
  malformed: refused('invalid_payment_header'),
  expired: refused('authorization_expired'),
  insufficient_funds: refused('insufficient_funds'),
  pull_refused: refused('token_refused'),
  reverted_alone: refused('token_refused'),
  not_yet_valid: QUEUED,
  reverted: QUEUED,
  refused_for_now: QUEUED,
  // The token's own logs decide: the use may be this payment, by whoever submitted it.
  authorization_used: HELD,
  // The token accepted the call and logged no use, as tokens do that do not revert for a used nonce.
  no_evidence: HELD,
};

/** Only for an item that was never sent, or that a finalized block shows unsettled. */
export function judgeItem(item: Pick<LaneItem, 'payout' | 'refund'>, outcome: UnsentOutcome): Judgement {
  if (!isDirect(item)) return judgeProcessorItem(outcome);
  return outcome === 'gas_budget_spent' ? refused(outcome) : DIRECT_JUDGEMENTS[outcome];
}

export function judgeProcessorItem(outcome: UnsentOutcome): Judgement {
  return outcome === 'gas_budget_spent' ? failed(outcome) : JUDGEMENTS[outcome];
}

export const UNSETTLED_OUTCOMES = Object.keys(JUDGEMENTS) as readonly UnsettledOutcome[];
