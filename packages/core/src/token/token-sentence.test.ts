import { expect, test } from 'vitest';
import { TOKENS } from './catalogue.ts';
import { selectTokens, type TokenSelector } from './select-tokens.ts';

const ENABLED = new Set(['basesepolia_usdc', 'anvil_usdc', 'base_usdc']);
const sentence = (selector: TokenSelector, mode: 'test' | 'live' = 'test', enabled: ReadonlySet<string> = ENABLED) => {
  const selected = selectTokens(selector, mode, enabled);
  return selected.ok ? '' : selected.message;
};

test('a live token with a test key: both modes are named, and test tokens of the account', () => {
  expect(sentence({ tokenShortcode: 'base_usdc' })).toBe(
    'base_usdc is a live token and this is a test key; use basesepolia_usdc or anvil_usdc, or a live key. ' +
      'GET /sdk/public/tokens lists what your account takes.',
  );
});

test('a test token with a live key is told the same way round', () => {
  expect(sentence({ tokenShortcode: 'basesepolia_usdc' }, 'live')).toMatch(
    /^basesepolia_usdc is a test token and this is a live key; use base_usdc, or a test key\./,
  );
});

test('a mistyped shortcode: the nearest one of the mode is named', () => {
  expect(sentence({ tokenShortcode: 'basesepolia_usd' })).toContain('did you mean basesepolia_usdc?');
  expect(sentence({ tokenShortcode: 'doge' })).toMatch(/^There is no token with this shortcode; use basesepolia_usdc/);
});

test('a token that is not enabled: the enabled ones are named, and who can enable it', () => {
  expect(sentence({ tokenShortcode: 'basesepolia_eurc' })).toMatch(
    /use basesepolia_usdc or anvil_usdc, or ask the operator/,
  );
  expect(sentence({}, 'test', new Set())).toBe(
    'No token is enabled for your account in test mode; ask the operator to enable one.',
  );
});

test('no sentence repeats text of the request, and none names more than five tokens', () => {
  const everything = new Set(TOKENS.map(({ shortcode }) => shortcode));
  const text = sentence({ tokenShortcode: '<script>alert(1)</script>' }, 'live', everything);
  expect(text).not.toContain('script');
  expect(text.match(/\w+_(?:usdc|eurc|arb|ckusdc)/g)).toHaveLength(5);
});
