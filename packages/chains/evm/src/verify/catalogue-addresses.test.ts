import { TOKENS } from '@svc-pay/core';
import { chainIdOf } from '@svc-pay/protocol';
import { isAddress } from 'viem';
import { expect, test } from 'vitest';

test('every EVM address of the catalogue carries its checksum: wallets refuse to sign for one that does not', () => {
  const evmTokens = TOKENS.filter(({ network }) => chainIdOf(network) !== undefined);
  expect(evmTokens.length).toBeGreaterThan(10);
  expect(evmTokens.filter(({ address }) => !isAddress(address)).map(({ shortcode }) => shortcode)).toEqual([]);
});
