import { describe, expect, test } from 'vitest';
import { type Judgement, judgeItem } from './judge-item.ts';
import type { ItemOutcome } from './lane-chain.ts';

type Row = { readonly judgement: Judgement; readonly because: string };
const failed = (code: Extract<Judgement, { end: 'failed' }>['code'], because: string): Row => ({
  judgement: { end: 'failed', code },
  because,
});
const held = (because: string): Row => ({ judgement: { end: 'held' }, because });
const queued = (because: string): Row => ({ judgement: { end: 'queued' }, because });

// Outcomes of one payment in a transaction that did not revert.
const TABLE: Readonly<Record<Exclude<ItemOutcome, 'settled'> | 'no_evidence', Row>> = {
  payout_inactive: failed('x402_temporarily_unavailable', 'the processor refuses the payout before it pulls'),
  amount_out_of_range: failed('amount_mismatch', 'the processor refuses the amount before it pulls'),
  nonce_not_bound: failed('acceptance_mismatch', 'the processor refuses the nonce before it pulls'),
  malformed: failed('invalid_payment_header', 'the processor cannot read the authorization'),
  expired: failed('authorization_expired', 'no later block executes the authorization'),
  insufficient_funds: failed('insufficient_funds', 'the token refused, and the nonce is unused'),
  pull_refused: failed('token_refused', 'the token refused, and the nonce is unused'),
  not_yet_valid: queued('a later block executes the authorization'),
  authorization_used: held('another transaction used the authorization, and may have paid the processor'),
  intent_already_settled: held('an earlier transaction settled the intent'),
  nothing_arrived: held('the token accepted the call: some tokens do that for a nonce that moved money before'),
  no_evidence: held('the transaction succeeded, and no log tells what became of the payment'),
};

describe('an unsettled payment fails only if no money can have moved', () => {
  const rows = Object.entries(TABLE).map(([outcome, row]) => ({ outcome: outcome as keyof typeof TABLE, ...row }));
  test.each(rows)('$outcome is $judgement.end: $because', ({ outcome, judgement }) => {
    expect(judgeItem(outcome)).toEqual(judgement);
  });
});
