import { atomicAmount } from '@svc-pay/money';
import { describe, expect, test } from 'vitest';
import { DEFAULT_MISMATCH_POLICY } from '../mismatch/mismatch-policy.ts';
import { chooseLanding, judgeLanding, type LandingFacts } from './judge-landing.ts';

const NOW_MS = 1_000_000;
const intent = { status: 'requires_payment', expiresAtMs: NOW_MS + 1, expectedSender: null } as const;
const acceptance = { priceEndsAtMs: NOW_MS + 1, amount: atomicAmount(5n) };
const credit = { step: 'credit', removes: false, paidTotalAtomic: null, refundDueAtomic: null } as const;
const landing: LandingFacts = {
  signed: { payer: '0xaa', wallet: '0xbb', amountAtomic: 5n },
  bound: false,
  unusedAtBlock: 100n,
  use: 'exclusive',
  intent,
  acceptance,
  policy: DEFAULT_MISMATCH_POLICY,
  earlierAtomic: 0n,
  activationRefused: false,
};
const use = {
  blockNumber: 101n,
  blockTimeMs: NOW_MS,
  transfer: { logIndex: 2, from: '0xaa', to: '0xbb', valueAtomic: 5n },
  transferTaken: false,
};
const judge = (of: Partial<LandingFacts>, by: Partial<typeof use> = {}) =>
  judgeLanding({ ...landing, ...of }, { ...use, ...by });

test.each([
  ['pays its intent', {}, {}, credit],
  ['bound, whenever it was used', { bound: true, unusedAtBlock: null }, { blockNumber: 1n }, credit],
  ['before it was refused', {}, { blockNumber: 100n }, { step: 'ignore', reason: 'used_before_refusal' }],
  ['never submitted and unbound', { unusedAtBlock: null }, {}, { step: 'ignore', reason: 'used_before_refusal' }],
  ['another transfer', {}, { transfer: { ...use.transfer, to: '0xcc' } }, { step: 'ignore', reason: 'used_elsewhere' }],
  ['a transfer that proves something', {}, { transferTaken: true }, { step: 'ignore', reason: 'transfer_taken' }],
  ['unbound, to a shared wallet', { use: 'shared' }, {}, { step: 'unattributed', reason: 'shared_wallet' }],
  [
    'to a wallet that was disabled',
    { bound: true, acceptance: { ...acceptance, payoutWithdrawn: true } },
    {},
    { step: 'unattributed', reason: 'payout_withdrawn' },
  ],
  [
    'to a wallet whose activation is refused',
    { activationRefused: true },
    {},
    { step: 'unattributed', reason: 'payout_withdrawn' },
  ],
  ['bound, to a shared wallet', { use: 'shared', bound: true }, {}, credit],
] as const)('a landing: %s', (_, of, by, expected) => {
  expect(judge(of, by)).toEqual(expected);
});

describe('whether money pays an intent', () => {
  test.each([
    ['payable at the price', {}, {}, undefined],
    ['paid in part', { status: 'mismatched' }, {}, undefined],
    ['processing', { status: 'processing' }, {}, 'payment_under_way'],
    ['completed', { status: 'completed' }, {}, 'intent_not_payable'],
    ['canceled', { status: 'canceled' }, {}, 'intent_not_payable'],
    ['failed', { status: 'failed' }, {}, 'intent_not_payable'],
    ['expired at the block', { expiresAtMs: NOW_MS }, {}, 'intent_expired'],
    ['a price that ended at the block', {}, { priceEndsAtMs: NOW_MS }, 'price_ended'],
    ['a price without end', {}, { priceEndsAtMs: null }, undefined],
    ['another sender than expected', { expectedSender: '0xdd' }, {}, 'other_sender'],
    ['the expected sender, in another letter case', { expectedSender: '0xAA' }, {}, undefined],
  ] as const)('%s', (_, of, terms, expected) => {
    const step = judge({ intent: { ...intent, ...of }, acceptance: { ...acceptance, ...terms } });
    const aside = { step: 'mismatch', standing: 'aside', reason: expected, refundDueAtomic: 5n };
    expect(step).toEqual(expected === undefined ? credit : aside);
  });
});

test('of several intents the first that is paid is chosen, else the first that is concerned', () => {
  const late = { standing: 'aside', reason: 'intent_expired', refundDueAtomic: null } as const;
  const mismatch = { step: 'mismatch', ...late } as const;
  const ignore = { step: 'ignore', reason: 'used_elsewhere' } as const;
  expect(chooseLanding([mismatch, ignore, credit, credit])).toBe(2);
  expect(chooseLanding([ignore, mismatch, mismatch])).toBe(1);
  expect(chooseLanding([ignore, ignore])).toBe(0);
});
