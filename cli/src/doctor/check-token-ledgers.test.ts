import { ChainUnavailable, type LedgerFacts } from '@svc-pay/core';
import { type NetworkId, parseNetwork } from '@svc-pay/protocol';
import { expect, test } from 'vitest';
import { checkTokenLedgers, type OpenBoundary } from './check-token-ledgers.ts';

const network = parseNetwork('icp:mainnet') as NetworkId;
const GOOD: LedgerFacts = { symbol: 'ckUSDC', decimals: 6, feeAtomic: 10_000n, mintingAccount: null };
const telling =
  (change: Partial<LedgerFacts> = {}): OpenBoundary =>
  () => ({ facts: async () => ({ ...GOOD, ...change }) });
const check = (open?: OpenBoundary, ...rpcUrls: string[]) => checkTokenLedgers(network, { rpcUrls }, open);

test('a network that is as configured has nothing wrong', async () => {
  const findings = await check(telling(), 'https://one.example/secret', 'https://two.example');
  expect(findings.map(({ status, subject }) => [status, subject])).toEqual([
    ['ok', network],
    ['ok', 'ic_ckusdc'],
    ['ok', network],
  ]);
  expect(JSON.stringify(findings)).not.toContain('secret');
});

test('other decimals are a problem, and another fee is worth a warning', async () => {
  expect(await check(telling({ decimals: 8 }), 'https://one.example')).toMatchObject([
    { status: 'ok' },
    { status: 'problem', subject: 'ic_ckusdc' },
  ]);
  expect(await check(telling({ feeAtomic: 9_999n }), 'https://one.example')).toMatchObject([
    { status: 'ok' },
    { status: 'warning', subject: 'ic_ckusdc' },
  ]);
});

test('a node without a certified answer is a problem, and the others are asked all the same', async () => {
  const open: OpenBoundary = (url) =>
    url.includes('bad') ? { facts: () => Promise.reject(new ChainUnavailable('forged')) } : telling()(url);
  expect(await check(open, 'https://bad.example', 'https://good.example')).toMatchObject([
    { status: 'problem', subject: network },
    { status: 'ok', subject: network },
    { status: 'ok', subject: 'ic_ckusdc' },
  ]);
});

test('an address that nobody answers at is a problem', async () => {
  expect(await check(undefined, 'http://127.0.0.1:9')).toMatchObject([{ status: 'problem', subject: network }]);
});

test('without an address nothing is checked, and the doctor says so', async () => {
  expect(await check(telling())).toMatchObject([{ status: 'warning' }]);
});
