import { expect, test } from 'vitest';
import { networkName } from './network-name.ts';

test('a network has one name for people, by each of its accepted names', () => {
  expect(networkName('eip155:8453')).toBe('Base');
  expect(networkName('8453')).toBe('Base');
  expect(networkName('solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp')).toBe(networkName('solana:mainnet'));
  expect(networkName('eip155:999')).toBeUndefined();
  expect(networkName('constructor')).toBeUndefined();
});
