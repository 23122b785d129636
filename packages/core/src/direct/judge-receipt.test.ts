import { atomicAmount } from '@svc-pay/money';
import { evmNetwork } from '@svc-pay/protocol';
import { describe, expect, test } from 'vitest';
import type { StoredAcceptance } from '../intent/stored-acceptance.ts';
import { DEFAULT_MISMATCH_POLICY } from '../mismatch/mismatch-policy.ts';
import type { ProcessorLog } from '../reader/money-log.ts';
import { SETTLEMENT_TRANSITIONS } from '../settlement/settlement-transitions.ts';
import { sampleActivation } from '../testing/sample-activation.ts';
import { statusesIn } from '../transitions.ts';
import { judgeReceipt, type ReceiptFacts } from './judge-receipt.ts';

const NETWORK = evmNetwork(84_532);
const NOW_MS = 1_000_000;
const acceptance = {
  position: 0,
  scheme: 'exact',
  network: NETWORK,
  token: { address: '0xToken' },
  payTo: '0xProcessor',
  amount: atomicAmount(1_000n),
  payoutId: 3n,
  shares: { merchant: '0xmerchant', feeBps: 100, splits: [] },
  priceEndsAtMs: null,
} as unknown as StoredAcceptance;
const log = {
  event: 'payment_received',
  address: '0xprocessor',
  intentCode: 7n,
  payer: '0xaa',
  asset: '0xtoken',
  payoutId: 3n,
  amountAtomic: 1_000n,
  feeAtomic: 10n,
} as ProcessorLog;
const facts: ReceiptFacts = {
  network: NETWORK,
  blockTimeMs: NOW_MS,
  intent: { status: 'requires_payment', expiresAtMs: NOW_MS + 1, expectedSender: null },
  acceptances: [acceptance],
  policy: DEFAULT_MISMATCH_POLICY,
  earlierParts: new Map(),
  isOwnPayout: true,
  pending: undefined,
};

const credited = { step: 'credit', acceptance, removes: false, paidTotalAtomic: null, refundDueAtomic: null };
const aside = (reason: string) => ({
  step: 'mismatch',
  standing: 'aside',
  acceptance,
  reason,
  refundDueAtomic: 1_000n,
});

test('a pay() with all terms of an acceptance credits the intent, whoever paid', () => {
  expect(judgeReceipt(log, facts)).toEqual(credited);
});

test.each([
  ['another processor', { address: '0xother' }, {}],
  ['another token', { asset: '0xother' }, {}],
  ['a rival’s payout', { payoutId: 4n }, {}],
  ['another fee', { feeAtomic: 0n }, {}],
  ['an up-to acceptance', {}, { scheme: 'upto' }],
  ['an acceptance on another network', {}, { network: evmNetwork(1) }],
  ['a direct acceptance', {}, { direct: sampleActivation() }],
  ['a payout without terms', {}, { shares: undefined }],
])('with %s it pays no intent', (_, change, offered) => {
  const given = { ...facts, acceptances: [{ ...acceptance, ...offered } as StoredAcceptance] };
  expect(judgeReceipt({ ...log, ...change }, given)).toEqual({ step: 'unattributed', reason: 'other_terms' });
});

test('a payout whose terms on chain are not ours, and a code that is not ours, credit nothing', () => {
  const withdrawn = { ...facts, acceptances: [{ ...acceptance, payoutWithdrawn: true as const }] };
  expect(judgeReceipt(log, withdrawn)).toEqual({ step: 'unattributed', reason: 'payout_withdrawn' });
  const unknown = { ...facts, intent: undefined, acceptances: [] };
  expect(judgeReceipt(log, unknown)).toEqual({ step: 'unattributed', reason: 'unknown_intent' });
  expect(judgeReceipt(log, { ...unknown, isOwnPayout: false })).toEqual({ step: 'ignore', reason: 'not_ours' });
});

describe('an intent with a pending payment', () => {
  const pendingIn = (settlement: NonNullable<ReceiptFacts['pending']>['settlement'], change = {}) =>
    judgeReceipt(log, {
      ...facts,
      intent: { ...facts.intent!, status: 'processing' },
      pending: { settlement, direct: false, revivable: false, ...change },
    });

  test.each(statusesIn(SETTLEMENT_TRANSITIONS))('that is %s', (settlement) => {
    const step = pendingIn(settlement);
    if (settlement === 'queued') expect(step).toMatchObject({ step: 'credit', removes: true });
    else expect(step).toEqual(aside('payment_under_way'));
  });

  test('keeps one that may still move money: a direct one, and one that a reorg may revive', () => {
    for (const change of [{ direct: true }, { revivable: true }])
      expect(pendingIn('queued', change)).toEqual(aside('payment_under_way'));
  });
});

test.each(['completed', 'failed', 'canceled'] as const)('an intent that is %s is not paid again', (status) => {
  const step = judgeReceipt(log, { ...facts, intent: { ...facts.intent!, status } });
  expect(step).toEqual(aside('intent_not_payable'));
});

describe('another amount', () => {
  const paying = (amountAtomic: bigint, change: Partial<ReceiptFacts> = {}) =>
    judgeReceipt({ ...log, amountAtomic, feeAtomic: amountAtomic / 100n }, { ...facts, ...change });

  test('is a part, completes the sum of the parts of its acceptance, or is due back', () => {
    expect(paying(1n)).toEqual({ step: 'unattributed', reason: 'below_minimum' });
    const part = { step: 'mismatch', standing: 'part', reason: 'underpaid', refundDueAtomic: null };
    expect(paying(400n)).toMatchObject(part);
    // A sum of another acceptance is in another token.
    expect(paying(600n, { earlierParts: new Map([[1, 400n]]) })).toMatchObject(part);
    const earlierParts = new Map([[0, 400n]]);
    expect(paying(600n, { earlierParts })).toMatchObject({ step: 'credit', paidTotalAtomic: 1_000n });
    expect(paying(1_200n)).toMatchObject({ step: 'credit', paidTotalAtomic: 1_200n, refundDueAtomic: 200n });
    const policy = { ...DEFAULT_MISMATCH_POLICY, over: 'hold' } as const;
    expect(paying(1_200n, { policy })).toMatchObject({ step: 'mismatch', standing: 'held', reason: 'overpaid' });
  });

  test('of several acceptances for one payout pays the one with that amount', () => {
    const other = { ...acceptance, position: 1, amount: atomicAmount(500n) };
    const step = paying(500n, { acceptances: [acceptance, other] });
    expect(step).toMatchObject({ step: 'credit', acceptance: { position: 1 }, paidTotalAtomic: null });
  });

  test('leaves a queued header in its place unless it pays the intent', () => {
    const processing = {
      intent: { ...facts.intent!, status: 'processing' },
      pending: { settlement: 'queued', direct: false, revivable: false },
    } as const;
    const aside = { step: 'mismatch', standing: 'aside', reason: 'payment_under_way' };
    expect(paying(400n, processing)).toMatchObject(aside);
    expect(paying(1_200n, processing)).toMatchObject({ step: 'credit', removes: true, refundDueAtomic: 200n });
  });

  test('for an intent that is paid in part reaches the sum', () => {
    const intent = { ...facts.intent!, status: 'mismatched' } as const;
    expect(paying(600n, { intent, earlierParts: new Map([[0, 400n]]) })).toMatchObject({ step: 'credit' });
    expect(paying(1_000n, { intent, earlierParts: new Map([[0, 400n]]) })).toMatchObject({
      step: 'credit',
      paidTotalAtomic: 1_400n,
      refundDueAtomic: 400n,
    });
  });
});

test.each([
  ['expired at the block', { expiresAtMs: NOW_MS }, 'intent_expired'],
  ['of another sender', { expectedSender: '0xdd' }, 'other_sender'],
])('money for an intent that is %s stands beside it', (_, change, reason) => {
  expect(judgeReceipt(log, { ...facts, intent: { ...facts.intent!, ...change } })).toEqual(aside(reason));
});
