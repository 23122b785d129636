import { chainIdOf, familyOf } from '@svc-pay/protocol';
import { describe, expect, test } from 'vitest';
import { TOKENS } from './catalogue.ts';
import { CHAINS, findChain } from './chain.ts';

test('shortcodes and addresses are unique, and every chain is known once', () => {
  expect(new Set(TOKENS.map(({ shortcode }) => shortcode)).size).toBe(TOKENS.length);
  expect(new Set(TOKENS.map(({ network, address }) => `${network}/${address.toLowerCase()}`)).size).toBe(TOKENS.length);
  expect(new Set(CHAINS.map(({ network }) => network)).size).toBe(CHAINS.length);
});

test('the chains and tokens of the first release are there', () => {
  const networks = CHAINS.map(({ network }) => network);
  for (const id of [1, 8453, 137, 42_161, 43_114, 84_532, 31_337]) expect(networks).toContain(`eip155:${id}`);
  expect(networks).toEqual(expect.arrayContaining(['solana:mainnet', 'solana:devnet', 'icp:mainnet', 'icp:local']));
  expect(new Set(TOKENS.map(({ symbol }) => symbol))).toEqual(
    new Set(['USDC', 'EURC', 'ARB', 'VOL', 'PLAIN', 'ckUSDC']),
  );
});

describe.each(TOKENS)('$shortcode', (token) => {
  test('has an address of its chain and what a wallet needs to sign', () => {
    const family = familyOf(token.network);
    if (family === 'evm') {
      expect(token.address).toMatch(/^0x[0-9a-fA-F]{40}$/);
      expect(token.domain === undefined).toBe(token.signing === 'none');
      expect(chainIdOf(token.network)).toBeGreaterThan(0);
    }
    if (family === 'solana') expect(token.address).toMatch(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);
    if (family === 'icp') {
      expect(token.signing).toBe('none');
      expect(token.address).toMatch(/^(?:[a-z2-7]{5}-){4}[a-z2-7]{3}$/);
    }
    expect(token.transferFee !== undefined).toBe(family === 'icp');
    expect(findChain(token.network)).toBeDefined();
  });
});
