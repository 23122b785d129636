import { atomicAmount, basisPoints } from '@svc-pay/money';
import { parseNetwork } from '@svc-pay/protocol';
import { boundNonce } from '@svc-pay/protocol/bound-nonce';
import { directNonce } from '@svc-pay/protocol/direct-nonce';
import { describe, expect, test } from 'vitest';
import { sampleActivation } from '../testing/sample-activation.ts';
import { TOKENS } from '../token/catalogue.ts';
import { directTerms, nonceBinding, processorTerms } from './bound-terms.ts';

const token = TOKENS.find(({ shortcode }) => shortcode === 'basesepolia_usdc')!;
const intent = { intentCode: 4_242 };
const wallet = `0x${'66'.repeat(20)}`;
const shares = {
  merchant: `0x${'77'.repeat(20)}`,
  feeBps: basisPoints(50),
  splits: [{ to: `0x${'88'.repeat(20)}`, bps: basisPoints(100) }],
};
const through = {
  network: token.network,
  token,
  amount: atomicAmount(1_500_000n),
  payoutId: 7n,
  payTo: `0x${'9C'.repeat(20)}`,
  shares,
};
const direct = { ...through, payTo: wallet, direct: sampleActivation({ wallet }) };

const directFor = (intentCode: number, change: Partial<typeof direct> = {}, attempt = 0) =>
  directNonce(directTerms(intentCode, { ...direct, ...change }, attempt)!);
const processorFor = (intentCode: number, change: Partial<typeof through> = {}, attempt = 0) =>
  boundNonce(processorTerms(intentCode, { ...through, ...change }, attempt)!);

test('a nonce without a tag is the payer’s own choice', () => {
  for (const acceptance of [through, direct])
    expect(nonceBinding(`0x${'01'.repeat(32)}`, intent, acceptance)).toBe('free');
});

test.each([0, 1, 65_535])('attempt %i at this intent is bound, in any letter case', (attempt) => {
  const upper = (nonce: string) => `0x${nonce.slice(2).toUpperCase()}`;
  expect(nonceBinding(upper(directFor(4_242, {}, attempt)), intent, direct)).toBe('bound');
  expect(nonceBinding(upper(processorFor(4_242, {}, attempt)), intent, through)).toBe('bound');
});

describe('a tagged nonce for anything else never pays this', () => {
  const other = sampleActivation({ wallet, installation: '0a1b2c3d-0000-4000-8000-000000000002' });
  test.each<[string, string]>([
    ['another intent', directFor(4_243)],
    ['another amount', directFor(4_242, { amount: atomicAmount(1_500_001n) })],
    ['another installation', directFor(4_242, { direct: other })],
    ['another mode', directFor(4_242, { direct: sampleActivation({ wallet, mode: 'live' }) })],
    ['another wallet', directFor(4_242, { direct: sampleActivation({ wallet: shares.merchant }) })],
    ['another token', directFor(4_242, { token: { ...token, address: shares.merchant } })],
    ['another chain', directFor(4_242, { network: parseNetwork('8453')! })],
    ['a processor payment of this intent', processorFor(4_242)],
    ['an intent code with a made-up hash', `${directFor(4_242).slice(0, 34)}${'ab'.repeat(16)}`],
  ])('directly: %s', (_, nonce) => {
    expect(nonceBinding(nonce, intent, direct)).toBe('foreign');
  });
  test.each<[string, string]>([
    ['another intent', processorFor(4_243)],
    ['another payout', processorFor(4_242, { payoutId: 8n })],
    ['another fee', processorFor(4_242, { shares: { ...shares, feeBps: basisPoints(51) } })],
    ['other splits', processorFor(4_242, { shares: { ...shares, splits: [] } })],
    ['another processor', processorFor(4_242, { payTo: wallet })],
    ['a direct payment of this intent', directFor(4_242)],
  ])('through the processor: %s', (_, nonce) => {
    expect(nonceBinding(nonce, intent, through)).toBe('foreign');
  });
  test('a payout without a row can’t be bound to', () => {
    const { shares: _, ...unknown } = through;
    expect(nonceBinding(processorFor(4_242), intent, unknown)).toBe('foreign');
  });
});

test('on other networks nothing is bound', () => {
  const solana = { ...through, network: parseNetwork('solana:mainnet')! };
  expect(nonceBinding(processorFor(4_242), intent, solana)).toBe('foreign');
  expect(processorTerms(1, solana, 0)).toBeUndefined();
  expect(directTerms(1, { ...direct, network: solana.network }, 0)).toBeUndefined();
});
