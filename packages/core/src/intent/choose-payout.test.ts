import { describe, expect, test } from 'vitest';
import type { ActivePayout } from '../payout/merchant-setup.ts';
import { sampleActivation } from '../testing/sample-activation.ts';
import { TOKENS } from '../token/catalogue.ts';
import { choosePayout } from './choose-payout.ts';

const find = (shortcode: string) => TOKENS.find((token) => token.shortcode === shortcode)!;
const usdc = find('base_usdc');
const processor = `0x${'9C'.repeat(20)}`;
const NOW_MS = 1_700_000_000_000;

const through = (payoutId: bigint, change: Partial<ActivePayout> = {}): ActivePayout => ({
  network: usdc.network,
  payoutId,
  processor: processor.toLowerCase(),
  merchant: '0xmerchant',
  feeBps: 0,
  splits: [],
  ...change,
});
const direct = (payoutId: bigint, activeFromMs = NOW_MS, asset = usdc.address.toLowerCase()): ActivePayout => {
  const wallet = `0x${payoutId.toString().padStart(40, '6')}`;
  const activation = sampleActivation({ wallet, asset, number: payoutId });
  return through(payoutId, {
    processor: wallet,
    merchant: wallet,
    direct: { asset, activation, activeFromMs, readable: true },
  });
};
const chosen = (payouts: readonly ActivePayout[], { token = usdc, upto = false } = {}) =>
  choosePayout(payouts, token, { processor }, upto, NOW_MS)?.payoutId;

test('where payers pay the merchant, the newest payout counts, whichever account it names', () => {
  const token = find('ic_ckusdc');
  const paid = (payoutId: bigint, merchant: string, change: Partial<ActivePayout> = {}) =>
    through(payoutId, { network: token.network, processor: merchant, merchant, ...change });
  const setup = { processor: '', paysMerchant: true } as const;
  const payouts = [paid(2n, 'aaa'), paid(1n, 'bbb')];
  expect(choosePayout(payouts, token, setup, false, NOW_MS)).toEqual(payouts[1]);
  expect(choosePayout([paid(1n, 'aaa', { processor: 'bbb' })], token, setup, false, NOW_MS)).toBeUndefined();
});

describe('an exact payment', () => {
  test('goes to the account’s wallet for the token, also where a processor payout is newer', () => {
    expect(chosen([through(1n), direct(2n), through(9n)])).toBe(2n);
  });
  test('goes to the newest wallet whose time has come, in whatever order the rows are', () => {
    expect(chosen([direct(3n), direct(2n), direct(4n, NOW_MS + 1)])).toBe(3n);
    expect(chosen([direct(4n, NOW_MS + 1), through(1n)])).toBe(1n);
  });
  test('goes to no wallet that was replaced by one that can’t be read', () => {
    const newest = direct(3n);
    const unreadable = (asset: string | null, activeFromMs = NOW_MS): ActivePayout => ({
      ...newest,
      direct: { asset, activation: undefined, activeFromMs, readable: false },
    });
    expect(chosen([direct(2n), unreadable(usdc.address), through(1n)])).toBe(3n);
    expect(chosen([direct(2n), unreadable(null), through(1n)])).toBe(3n);
    expect(chosen([direct(2n), unreadable(usdc.address, NOW_MS + 1)])).toBe(2n);
    expect(chosen([direct(2n), unreadable(find('base_eurc').address)])).toBe(2n);
  });
  test('goes through the processor where the wallet is for another token or network', () => {
    expect(chosen([direct(2n, NOW_MS, find('base_eurc').address), through(1n)])).toBe(1n);
    expect(chosen([{ ...direct(2n), network: find('polygon_usdc').network }, through(1n)])).toBe(1n);
  });
  test('goes through the processor until the chain reader has begun with the token', () => {
    const fresh = direct(2n);
    const unread = { ...fresh, direct: { ...fresh.direct!, readable: false } };
    expect(chosen([unread, through(1n)])).toBe(1n);
    expect(chosen([unread])).toBeUndefined();
  });
  test('goes through the processor in a token whose logs prove no direct payment', () => {
    const { directLogs: _, ...token } = usdc;
    expect(chosen([direct(2n), through(1n)], { token })).toBe(1n);
  });
  test('has no payout where the account has none', () => {
    expect(chosen([])).toBeUndefined();
    expect(chosen([through(1n, { processor: '0xother' })])).toBeUndefined();
  });
});

test('an up-to payment always goes through the processor', () => {
  expect(chosen([direct(2n), through(1n)], { upto: true })).toBe(1n);
  expect(chosen([direct(2n)], { upto: true })).toBeUndefined();
});

test('a wallet at the processor’s own address is no payout of the processor', () => {
  expect(chosen([{ ...direct(2n, NOW_MS + 1), processor }])).toBeUndefined();
});
