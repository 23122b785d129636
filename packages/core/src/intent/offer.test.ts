import { parseRate, usd, usdMicros } from '@svc-pay/money';
import { parseNetwork } from '@svc-pay/protocol';
import { describe, expect, test } from 'vitest';
import type { MerchantSetup, NetworkSetup } from '../payout/merchant-setup.ts';
import { sampleActivation } from '../testing/sample-activation.ts';
import { sampleFamily } from '../testing/samples.ts';
import { TOKENS } from '../token/catalogue.ts';
import type { HourlyCap } from '../token/hourly-caps.ts';
import { offerToken, priceToken, settlesUpto } from './offer.ts';

const find = (shortcode: string) => TOKENS.find((token) => token.shortcode === shortcode)!;
const processor = `0x${'9C'.repeat(20)}`;
const setup: NetworkSetup = { processor, processorVersion: '1.3.0', ready: true };
const base = parseNetwork('8453')!;
const shares = { feeBps: 0, splits: [] };
const merchant: MerchantSetup = {
  enabledTokens: new Set(),
  payouts: [
    { network: base, payoutId: 1n, processor, merchant: '0xmerchant', ...shares },
    { network: base, payoutId: 2n, processor: processor.toLowerCase(), merchant: '0xmerchant', ...shares },
    { network: base, payoutId: 3n, processor: `0x${'11'.repeat(20)}`, merchant: '0xmerchant', ...shares },
  ],
  uptoDefaultTimeoutSeconds: 86_400,
  uptoMaxTimeoutSeconds: 604_800,
  minimumUsdMicros: null,
};
const networks = new Map<string, NetworkSetup>([[base, setup]]);
const priced = (shortcode: string, usdAmount = 10n ** 18n) => {
  const token = find(shortcode);
  const rate = parseRate({ token: token.unit, usdPerToken: '1', source: 'test', observedAtMs: 0 });
  const result = rate.ok && priceToken(token, rate.rate, { usd: usd(usdAmount), atomic: null });
  if (!result || !result.ok) throw new Error('no price');
  return result.priced;
};
const ENDS_MS = 1_700_000_600_000;
const conditions = (map: ReadonlyMap<string, NetworkSetup>, hourlyCaps: readonly HourlyCap[] = []) => ({
  families: [sampleFamily()],
  networks: map,
  hourlyCaps,
  nowMs: ENDS_MS - 600_000,
  feedPriceEndsAtMs: ENDS_MS,
});
const offer = (shortcode: string, upto = false, changed: Partial<MerchantSetup> = {}, map = networks) =>
  offerToken(priced(shortcode), upto, { ...merchant, ...changed }, conditions(map));

test('an offer pins the newest active payout of the processor in use', () => {
  expect(offer('base_usdc')).toMatchObject({ payout: { payoutId: 2n }, setup, amount: 1_000_000n });
});

test('a network that no family owns is not offered, and up-to only where the family carries it', () => {
  const offered = (upto: boolean, change: Parameters<typeof sampleFamily>[0]) =>
    offerToken(priced('base_usdc'), upto, merchant, { ...conditions(networks), families: [sampleFamily(change)] });
  const foreign = { owns: (network: string) => network !== base };
  expect(offered(false, foreign)).toBe('x402_not_available_for_token');
  expect(offered(true, foreign)).toBe('x402_upto_not_available');
  const exactOnly = { carriesUpto: () => false };
  expect(offered(false, exactOnly)).toMatchObject({ amount: 1_000_000n });
  expect(offered(true, exactOnly)).toBe('x402_upto_not_available');
});

test('on Solana a payout belongs to the fee account, in its own spelling', () => {
  const network = parseNetwork('solana:mainnet')!;
  const feeAccount = 'FeeAccountFeeAccountFeeAccountFeeAccount1111';
  const payouts = [feeAccount, feeAccount.toLowerCase()].map((processor, index) => {
    return { network, payoutId: BigInt(index), processor, merchant: 'Merchant', ...shares };
  });
  const map = new Map([[network, { processor: feeAccount, ready: true }]]);
  expect(offer('sol_usdc', false, { payouts }, map)).toMatchObject({ payout: { payoutId: 0n, merchant: 'Merchant' } });
  expect(offer('sol_usdc', true, { payouts }, map)).toBe('x402_upto_not_available');
});

test('the hourly cap is the processor’s: a direct payment may be larger', () => {
  const asset = find('base_usdc').address;
  const wallet = `0x${'66'.repeat(20)}`;
  const activation = sampleActivation({ wallet, asset });
  const direct = { network: base, payoutId: 9n, processor: wallet, merchant: wallet, ...shares };
  const payouts = [{ ...direct, direct: { asset, activation, activeFromMs: 0, readable: true } }];
  const caps = [{ network: base, asset: asset.toLowerCase(), capAtomic: 1n }];
  const offered = (upto: boolean, setup: MerchantSetup) =>
    offerToken(priced('base_usdc'), upto, setup, conditions(networks, caps));
  expect(offered(false, merchant)).toBe('amount_too_large');
  expect(offered(false, { ...merchant, payouts })).toMatchObject({ payout: { payoutId: 9n } });
});

test('a withdrawn processor takes no payment, and a wallet of the account does', () => {
  const asset = find('base_usdc').address;
  const wallet = `0x${'66'.repeat(20)}`;
  const own = { network: base, payoutId: 9n, processor: wallet, merchant: wallet, ...shares };
  const direct = { asset, activation: sampleActivation({ wallet, asset }), activeFromMs: 0, readable: true };
  const payouts = [...merchant.payouts, { ...own, direct }];
  const stopped = new Map([[base, { ...setup, withdrawn: 'processor' as const }]]);
  expect(offer('base_usdc', false, {}, stopped)).toBe('x402_temporarily_unavailable');
  expect(offer('base_usdc', false, { payouts }, stopped)).toMatchObject({ payout: { payoutId: 9n } });
  expect(offer('base_usdc', true, { payouts }, stopped)).toBe('x402_upto_not_available');
  const closed = new Map([[base, { ...setup, withdrawn: 'processor' as const, ready: false }]]);
  expect(offer('base_usdc', false, { payouts }, closed)).toBe('x402_temporarily_unavailable');
});

describe('the minimum', () => {
  const on = (minimum: bigint) => new Map([[base, { ...setup, minimumUsdMicros: usdMicros(minimum) }]]);
  test('of the network is part of the offer, and exactly the minimum is enough', () => {
    expect(offer('base_usdc')).toMatchObject({ minimumUsdMicros: null });
    expect(offer('base_usdc', false, {}, on(1_000_000n))).toMatchObject({ minimumUsdMicros: 1_000_000n });
    expect(offer('base_usdc', false, {}, on(1_000_001n))).toBe('x402_minimum_amount_not_met');
    expect(offer('base_usdc', true, {}, on(1_000_001n))).toBe('x402_upto_not_available');
  });
  test('is the higher one of network and account', () => {
    const account = (minimum: bigint) => ({ minimumUsdMicros: usdMicros(minimum) });
    expect(offer('base_usdc', false, account(7n), on(9n))).toMatchObject({ minimumUsdMicros: 9n });
    expect(offer('base_usdc', false, account(9n), on(7n))).toMatchObject({ minimumUsdMicros: 9n });
    expect(offer('base_usdc', false, account(9n))).toMatchObject({ minimumUsdMicros: 9n });
    expect(offer('base_usdc', false, account(1_000_001n), on(1n))).toBe('x402_minimum_amount_not_met');
  });
});

describe('the hourly cap of the processor', () => {
  const capped = (capAtomic: bigint, upto = false) =>
    offerToken(
      priced('base_usdc'),
      upto,
      merchant,
      conditions(networks, [{ network: base, asset: find('base_usdc').address.toLowerCase(), capAtomic }]),
    );
  test('takes a payment of exactly the cap and none above it, up-to or not', () => {
    for (const upto of [false, true]) {
      expect(capped(1_000_000n, upto)).toMatchObject({ amount: 1_000_000n });
      expect(capped(999_999n, upto)).toBe('amount_too_large');
    }
  });
});

test('a price of a feed ends, a fixed one does not', () => {
  expect(offer('base_usdc')).toMatchObject({ priceEndsAtMs: null });
  expect(offer('base_eurc')).toMatchObject({ priceEndsAtMs: ENDS_MS });
});

describe('why not', () => {
  test.each([
    ['a token nobody can sign for', offer('ic_ckusdc'), 'x402_not_available_for_token'],
    ['a network the operator does not run', offer('polygon_usdc'), 'x402_not_available_for_token'],
    ['no active payout', offer('base_usdc', false, { payouts: [] }), 'x402_temporarily_unavailable'],
    [
      'no relayer that can pay',
      offer('base_usdc', false, {}, new Map([[base, { ...setup, ready: false }]])),
      'x402_temporarily_unavailable',
    ],
    [
      'below the minimum',
      offer('base_usdc', false, { minimumUsdMicros: usdMicros(1_000_001n) }),
      'x402_minimum_amount_not_met',
    ],
  ])('%s: a fallback', (_, result, code) => {
    expect(result).toBe(code);
  });

  test.each([
    ['Internet Computer', offer('ic_ckusdc', true)],
    ['Solana', offer('sol_usdc', true)],
    ['an old processor', offer('base_usdc', true, {}, new Map([[base, { ...setup, processorVersion: '1.2.9' }]]))],
    ['no active payout', offer('base_usdc', true, { payouts: [] })],
    ['below the minimum', offer('base_usdc', true, { minimumUsdMicros: usdMicros(1_000_001n) })],
  ])('up-to on %s: never a fallback, which would take the whole cap', (_, result) => {
    expect(result).toBe('x402_upto_not_available');
  });
});

test.each([
  ['1.3.0', true],
  ['1.10.0', true],
  ['2.0.0', true],
  ['1.2.9', false],
  ['0.9.9', false],
  ['', false],
  ['next', false],
])('processor %j settles up-to: %s', (version, expected) => {
  expect(settlesUpto(version)).toBe(expected);
});

describe('amounts', () => {
  const arb = find('arbitrum_arb');
  const rate = parseRate({ token: arb.unit, usdPerToken: '0.3', source: 'test', observedAtMs: 0 });
  if (!rate.ok) throw new Error('no rate');
  test('dollars become token units rounded up', () => {
    expect(priceToken(arb, rate.rate, { usd: usd(10n ** 18n), atomic: null })).toMatchObject({
      priced: { amount: 3_333_333_333_333_333_334n },
    });
  });
  test('dollars and units within one unit agree, and the units count', () => {
    const atomic = 3_333_333_333_333_333_333n as never;
    expect(priceToken(arb, rate.rate, { usd: usd(10n ** 18n), atomic })).toMatchObject({ priced: { amount: atomic } });
    const off = 3_333_333_333_333_333_331n as never;
    expect(priceToken(arb, rate.rate, { usd: usd(10n ** 18n), atomic: off })).toMatchObject({
      code: 'amounts_disagree',
    });
  });
});
