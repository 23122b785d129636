import { TOKENS } from '@svc-pay/core';
import { expect, test } from 'vitest';
import { KNOWN_TOKENS, tokenAt } from './known-tokens.ts';

test('the tokens shown are the service’s own, address by address', () => {
  const payable = TOKENS.filter(({ network }) => /^(?:eip155|solana|icp):/.test(network));
  const known = KNOWN_TOKENS.map(({ shortcode, network, asset, symbol, decimals }) =>
    [shortcode, network, asset, symbol, decimals].join(' '),
  );
  const own = payable.map(({ shortcode, network, address, symbol, unit }) =>
    [shortcode, network, address, symbol, unit.decimals].join(' '),
  );
  expect(known.toSorted()).toEqual(own.toSorted());
});

test('letters of an EVM address mean the same in either case; on Solana they do not', () => {
  const [evm, solana] = ['base_usdc', 'sol_usdc'].map((name) => KNOWN_TOKENS.find((one) => one.shortcode === name));
  expect(tokenAt('8453', evm?.asset.toLowerCase() ?? '')).toBe(evm);
  expect(tokenAt('solana:mainnet', solana?.asset ?? '')).toBe(solana);
  expect(tokenAt('solana:mainnet', solana?.asset.toLowerCase() ?? '')).toBeUndefined();
});
