import { describe, expect, test } from 'vitest';
import { TOKENS } from './catalogue.ts';
import { selectTokens, type TokenSelector } from './select-tokens.ts';

const everything = new Set(TOKENS.map(({ shortcode }) => shortcode));
const select = (selector: TokenSelector, enabled: ReadonlySet<string> = everything, mode: 'test' | 'live' = 'live') => {
  const selected = selectTokens(selector, mode, enabled);
  return selected.ok ? selected.tokens.map(({ shortcode }) => shortcode) : selected.code;
};

test('a shortcode selects one token, whatever else is said', () => {
  expect(select({ tokenShortcode: 'base_usdc', symbol: 'EURC', chainId: '1' })).toEqual(['base_usdc']);
});

test('a shortcode is not deprecated, the older selectors are', () => {
  expect(selectTokens({ tokenShortcode: 'base_usdc' }, 'live', everything)).toMatchObject({ deprecated: false });
  expect(selectTokens({}, 'live', everything)).toMatchObject({ deprecated: false });
  expect(selectTokens({ symbol: 'USDC' }, 'live', everything)).toMatchObject({ deprecated: true });
});

describe('the deprecated selectors', () => {
  test('a symbol on several chains gives one token each', () => {
    expect(select({ symbol: 'eurc' })).toEqual(['eth_eurc', 'base_eurc', 'avalanche_eurc', 'sol_eurc']);
  });
  test('they narrow each other down', () => {
    expect(select({ symbol: 'USDC', chainId: '8453' })).toEqual(['base_usdc']);
    expect(select({ symbol: 'USDC', chainId: 'eip155:137' })).toEqual(['polygon_usdc']);
  });
  test('a token address is found in any letter case', () => {
    expect(select({ ledgerCanisterId: '0X833589FCD6EDB6E08F4C7C32D4F71B54BDA02913'.replace('0X', '0x') })).toEqual([
      'base_usdc',
    ]);
    expect(select({ ledgerCanisterId: 'xevnm-gaaaa-aaaar-qafnq-cai' })).toEqual(['ic_ckusdc']);
  });
});

test('without a selector every enabled token of the mode is offered, at most twelve', () => {
  expect(select({}, new Set(['base_usdc', 'basesepolia_usdc']))).toEqual(['base_usdc']);
  expect(select({}, everything)).toHaveLength(12);
});

test('test keys see test chains only', () => {
  expect(select({ tokenShortcode: 'base_usdc' }, everything, 'test')).toBe('token_unknown');
  expect(select({ symbol: 'USDC' }, everything, 'test')).toEqual(['basesepolia_usdc', 'anvil_usdc', 'soldevnet_usdc']);
});

test.each([
  [{ tokenShortcode: 'base_doge' }, 'token_unknown'],
  [{ symbol: 'DOGE' }, 'token_unknown'],
  [{ chainId: 'base' }, 'token_unknown'],
  [{ chainId: '999' }, 'token_unknown'],
  [{ symbol: 'ARB', chainId: '1' }, 'token_unknown'],
])('%j is refused as %s', (selector, code) => {
  expect(select(selector)).toBe(code);
});

test('a known token that the account did not enable is refused by another name', () => {
  expect(select({ tokenShortcode: 'base_usdc' }, new Set())).toBe('token_not_enabled');
});
