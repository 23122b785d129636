import { describe, expect, test } from 'vitest';
import { SETTLEMENT_TRANSITIONS } from '../settlement/settlement-transitions.ts';
import { statusesIn } from '../transitions.ts';
import { type ClaimedFacts, judgeCancellation, judgeClaimedUse, type UseFacts } from './judge-claimed-use.ts';

const signed = { payer: '0xaa', wallet: '0xbb', amountAtomic: 5n };
const transfer = { logIndex: 2, from: '0xaa', to: '0xbb', valueAtomic: 5n };
const claim: ClaimedFacts = {
  settlement: 'held',
  direct: true,
  signed,
  bound: false,
  unusedAtBlock: 100n,
  use: 'exclusive',
  payoutWithdrawn: false,
  transactionId: null,
  provisional: false,
};
const use: UseFacts = {
  transactionId: '0x01',
  blockNumber: 101n,
  transfer,
  ownTransaction: false,
  transferTaken: false,
};
const judge = (of: Partial<ClaimedFacts>, by: Partial<UseFacts> = {}) =>
  judgeClaimedUse({ ...claim, ...of }, { ...use, ...by });

describe('a use with the exact transfer', () => {
  test.each([
    ['of an exclusive wallet, by anybody', {}, {}, 'complete'],
    ['of a shared wallet, by a stranger', { use: 'shared' }, {}, 'hold shared_wallet'],
    ['of a shared wallet, with a bound nonce', { use: 'shared', bound: true }, {}, 'complete'],
    ['of a shared wallet, by our own transaction', { use: 'shared' }, { ownTransaction: true }, 'complete'],
    ['of a withdrawn payout, by a stranger', { bound: true, payoutWithdrawn: true }, {}, 'hold payout_withdrawn'],
    ['of a withdrawn payout, by our own', { payoutWithdrawn: true }, { ownTransaction: true }, 'complete'],
    ['in the block at which it was unused', {}, { blockNumber: 100n }, 'fail used_before_claim'],
    ['before that block', {}, { blockNumber: 99n }, 'fail used_before_claim'],
    ['before that block, bound', { bound: true }, { blockNumber: 99n }, 'complete'],
    ['before that block, by our own transaction', {}, { blockNumber: 99n, ownTransaction: true }, 'complete'],
    ['where no such block is stored', { unusedAtBlock: null }, {}, 'fail used_before_claim'],
    ['whose transfer proves another payment', {}, { transferTaken: true }, 'hold transfer_taken'],
    ['of an authorization that pays a processor', { direct: false }, {}, 'ignore processor_payment'],
  ] as const)('%s', (_, of, by, expected) => {
    const step = judge(of, by);
    expect([step.step, 'reason' in step ? step.reason : ''].join(' ').trim()).toBe(expected);
  });
});

test('a use with any other transfer, or none, fails the payment: the authorization is gone', () => {
  for (const other of [undefined, { ...transfer, to: '0xcc' }, { ...transfer, valueAtomic: 4n }]) {
    for (const bound of [true, false])
      expect(judge({ bound }, { transfer: other })).toEqual({
        step: 'fail',
        from: 'held',
        code: 'authorization_already_used',
        reason: 'used_elsewhere',
      });
  }
});

describe('by the status of the settlement', () => {
  const expected = {
    queued: 'complete',
    held: 'complete',
    batched: 'wait',
    mined: 'wait',
    completed: 'unattributed',
    failed: 'unattributed',
    canceled: 'unattributed',
  } as const;
  test.each(statusesIn(SETTLEMENT_TRANSITIONS))('%s', (settlement) => {
    const step = judge({ settlement });
    expect(step.step).toBe(expected[settlement]);
    if (step.step === 'complete') expect(step.from).toBe(settlement);
    expect(judge({ settlement }, { transferTaken: true }).step).not.toBe('complete');
  });

  test('completed with this transaction it is recorded, whatever else is proven', () => {
    const done = { settlement: 'completed', transactionId: '0x01' } as const;
    expect(judge(done, { transferTaken: true })).toEqual({ step: 'recorded' });
  });
});

test('a payment that a lane completed in another transaction, not final, waits until the lane takes that back', () => {
  const done = { settlement: 'completed', transactionId: '0x02', provisional: true } as const;
  expect(judge(done)).toEqual({ step: 'wait' });
  expect(judge(done, { transferTaken: true })).toEqual({ step: 'wait' });
  expect(judge({ ...done, provisional: false }).step).toBe('unattributed');
  expect(judge({ ...done, transactionId: '0x01' })).toEqual({ step: 'recorded' });
});

test.each([
  ['queued', 'fail'],
  ['held', 'fail'],
  ['batched', 'wait'],
  ['mined', 'wait'],
  ['completed', 'ignore'],
  ['failed', 'ignore'],
] as const)('a cancellation of a %s payment: %s', (settlement, step) => {
  expect(judgeCancellation({ settlement, direct: true }).step).toBe(step);
  expect(judgeCancellation({ settlement, direct: false }).step).toBe('ignore');
});
