import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chainIdOf, chainTypeOf, evmNetwork, familyOf, parseNetwork } from './network.ts';

test('a decimal chain id and its eip155 form are one network, emitted as eip155', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (chainId) => {
      expect(parseNetwork(String(chainId))).toBe(`eip155:${chainId}`);
      expect(parseNetwork(`eip155:${chainId}`)).toBe(`eip155:${chainId}`);
      expect(chainIdOf(evmNetwork(chainId))).toBe(chainId);
    }),
  );
});

test.each([
  ['solana:mainnet', 'solana:mainnet'],
  ['solana:devnet', 'solana:devnet'],
  ['solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', 'solana:mainnet'],
  ['solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', 'solana:devnet'],
])('%s is %s', (alias, network) => {
  expect(parseNetwork(alias)).toBe(network);
});

test.each([
  '',
  '0',
  '01',
  '-1',
  '1.0',
  '1e3',
  '0x1',
  ' 1',
  'eip155:',
  'eip155:0',
  'eip155:01',
  'EIP155:1',
  'solana',
  'solana:testnet',
  'SOLANA:mainnet',
  '9007199254740992',
  '99999999999999999999',
  'toString',
  '__proto__',
])('%j names no network', (name) => {
  expect(parseNetwork(name)).toBeUndefined();
});

test('any text is answered, never thrown at', () => {
  fc.assert(fc.property(fc.string(), (text) => void parseNetwork(text)));
});

test('a payment says ic, evm or sol', () => {
  expect(chainTypeOf(evmNetwork(8453))).toBe('evm');
  expect(chainTypeOf(parseNetwork('solana:devnet')!)).toBe('sol');
  expect(chainTypeOf(parseNetwork('icp:mainnet')!)).toBe('ic');
  expect(familyOf(parseNetwork('icp:mainnet')!)).toBe('icp');
  expect(familyOf(parseNetwork('icp:local')!)).toBe('icp');
  expect(chainIdOf(parseNetwork('solana:mainnet')!)).toBeUndefined();
});
