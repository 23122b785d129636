// Why a payment stands where it stands, and why an entry of its timeline is as it is.
import type { TimelineReason, TimelineSituation } from '@svc-pay/protocol/merchant';

export const SITUATION_WORDS: Readonly<Record<TimelineSituation, string>> = {
  awaits_payer: 'The payer has not signed or sent anything yet.',
  awaits_charge: 'The payer authorized a cap. Charge what is due, or release it, before it expires.',
  awaits_lane: 'The payer has signed. The service puts the payment into its next transaction.',
  awaits_next_try: 'The chain refused the payment for now. The service tries again while the signature is valid.',
  awaits_block: 'The transaction is sent and waits for a block.',
  awaits_final_block: 'The transaction is in a block and waits until nothing can remove it.',
  awaits_proof: 'The authorization was used, and the service waits for final blocks to prove by whom.',
  awaits_rest: 'A part has arrived. The payer can send the rest; or you accept the part, or refund it.',
  awaits_merchant: 'Money has arrived that is not what you asked for. Accept it or refund it.',
  paid: 'The money has arrived and is booked. Its block is not final yet.',
  paid_and_final: 'The money has arrived, is booked, and its block is final.',
  refunded: 'All that was paid went back to the payer.',
  canceled: 'It was canceled before it was paid.',
  released: 'The authorization was released: the payer owes nothing.',
  expired: 'The time to pay ended before somebody paid.',
};

export const REASON_WORDS: Readonly<Record<TimelineReason, string>> = {
  underpaid: 'Less was paid than asked for.',
  overpaid: 'More was paid than asked for.',
  paid_aside: 'The money came when the payment could no longer take it, or from another sender than expected.',
  batch_reverted: 'The chain reverted the whole transaction. Nothing moved, and the payment is sent again.',
  superseded: 'A transaction with a higher fee took its place.',
  batch_replaced: 'Another transaction of the relayer took its number.',
  somebody_else_sent_it: 'Somebody else sent the signed payment to the chain first. It counts.',
  block_removed: 'The chain removed the block, so the entry was taken back.',
};

/** What the chain answered the last time that the processor should have moved money which lies with it. */
export const STRANDED_WORDS: Readonly<Record<string, string>> = {
  payout_inactive: 'The processor refused it: the payout is not active.',
  amount_out_of_range: 'The processor refused the amount.',
  nonce_not_bound: 'The processor refused it: the signature is for other terms.',
  malformed: 'The processor could not read it.',
  expired: 'The processor refused it: the signature has expired.',
  insufficient_funds: 'The processor holds less of the token than it needs for this.',
  pull_refused: 'The token refused the transfer, as for a blocked address or a paused token.',
  not_yet_valid: 'The signature was not valid yet. It is sent again.',
  reverted: 'The chain reverted the transaction. Nothing moved, and it is sent again.',
  refused_for_now: 'The chain refused it for now. It is sent again.',
  reverted_alone: 'The transaction reverted although its rehearsal passed. Nothing moved.',
  authorization_used: 'The authorization was used by another transaction.',
  intent_already_settled: 'The processor has already settled this payment.',
  nothing_arrived: 'The token reported success and moved nothing.',
  no_evidence: 'The transaction left no trace of a transfer.',
  gas_budget_spent: 'It cost the service too much gas without succeeding.',
};
