import { atomicAmount } from '@svc-pay/money';
import { evmNetwork } from '@svc-pay/protocol';
import { describe, expect, test } from 'vitest';
import type { StoredAcceptance } from '../intent/stored-acceptance.ts';
import type { ProcessorLog } from '../reader/money-log.ts';
import { SETTLEMENT_TRANSITIONS } from '../settlement/settlement-transitions.ts';
import { sampleActivation } from '../testing/sample-activation.ts';
import { statusesIn } from '../transitions.ts';
import { judgeReceipt, type ReceiptFacts } from './judge-receipt.ts';

const NETWORK = evmNetwork(84_532);
const NOW_MS = 1_000_000;
const acceptance = {
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
  isOwnPayout: true,
  pending: undefined,
};

test('a pay() with all terms of an acceptance credits the intent, whoever paid', () => {
  expect(judgeReceipt(log, facts)).toEqual({ step: 'credit', acceptance, removes: false });
});

test.each([
  ['another processor', { address: '0xother' }, {}],
  ['another token', { asset: '0xother' }, {}],
  ['a rival’s payout', { payoutId: 4n }, {}],
  ['one unit', { amountAtomic: 1n }, {}],
  ['one unit more', { amountAtomic: 1_001n }, {}],
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
    else expect(step).toEqual({ step: 'unattributed', reason: 'payment_under_way' });
  });

  test('keeps one that may still move money: a direct one, and one that a reorg may revive', () => {
    for (const change of [{ direct: true }, { revivable: true }])
      expect(pendingIn('queued', change)).toEqual({ step: 'unattributed', reason: 'payment_under_way' });
  });
});

test.each(['completed', 'failed', 'canceled'] as const)('an intent that is %s is not paid again', (status) => {
  const step = judgeReceipt(log, { ...facts, intent: { ...facts.intent!, status } });
  expect(step).toEqual({ step: 'unattributed', reason: 'intent_not_payable' });
});
