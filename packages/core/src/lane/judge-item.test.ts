import { describe, expect, test } from 'vitest';
import { sampleActivation } from '../testing/sample-activation.ts';
import { type Judgement, judgeItem, UNSETTLED_OUTCOMES, type UnsettledOutcome } from './judge-item.ts';
import type { LaneItem } from './lane.ts';
import type { ItemOutcome } from './lane-chain.ts';

const PAYOUT: LaneItem['payout'] = { id: 1n, merchant: '0x01', feeBps: 0, splits: [] };
const DIRECT_PAYOUT: LaneItem['payout'] = { ...PAYOUT, direct: sampleActivation() };

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
    expect(judgeItem({ payout: PAYOUT }, outcome)).toEqual(judgement);
  });
});

// The signature of a direct payment pays the merchant whoever submits it, until it expires.
const refused = (refusal: Extract<Judgement, { end: 'failed' }>['code'], because: string): Row => ({
  judgement: { end: 'held', refusal },
  because,
});
const DIRECT: Readonly<Record<UnsettledOutcome, Row>> = {
  insufficient_funds: refused('insufficient_funds', 'the payer may get the money before it expires'),
  pull_refused: refused('token_refused', 'the token may be unpaused, or the payer taken off its blacklist'),
  expired: refused('authorization_expired', 'the block in which it expired may not be final'),
  malformed: refused('invalid_payment_header', 'no lane could send it'),
  reverted_alone: refused('token_refused', 'its own transaction reverted, and a later one may not'),
  authorization_used: held('the use may be this payment, submitted by somebody else'),
  no_evidence: held('the token accepted the call, and its logs do not show the payment'),
  not_yet_valid: queued('a later block executes the authorization'),
  reverted: queued('the transaction reverted as a whole'),
  refused_for_now: queued('the transaction reverted as a whole'),
  payout_inactive: held('no processor takes part'),
  amount_out_of_range: held('no processor takes part'),
  nonce_not_bound: held('no processor takes part'),
  intent_already_settled: held('no processor takes part'),
  nothing_arrived: held('no processor takes part'),
};

describe('a direct payment never fails by a refusal', () => {
  test.each(UNSETTLED_OUTCOMES.map((outcome) => ({ outcome, ...DIRECT[outcome] })))(
    '$outcome is $judgement.end: $because',
    ({ outcome, judgement }) => {
      expect(judgeItem({ payout: DIRECT_PAYOUT }, outcome)).toEqual(judgement);
    },
  );
});
