import { evmNetwork, type NetworkId } from '@svc-pay/protocol';
import { afterEach, expect, test } from 'vitest';
import { explorerUrlOf, useExplorers } from './explorer.ts';

const base = evmNetwork(8453);

afterEach(() => useExplorers(new Map()));

test('the id stands in its place, and nothing in it changes the rest of the address', () => {
  useExplorers(new Map([[base, 'https://explorer.example/tx/{transactionId}?cluster=x']]));
  expect(explorerUrlOf(base, '0xab')).toBe('https://explorer.example/tx/0xab?cluster=x');
  expect(explorerUrlOf(base, '$&/../?x')).toBe('https://explorer.example/tx/%24%26%2F..%2F%3Fx?cluster=x');
});

test('a block of a token ledger is named by its ledger and its index', () => {
  const network = 'icp:mainnet' as NetworkId;
  useExplorers(new Map([[network, 'https://explorer.example/{ledger}/transaction/{blockIndex}']]));
  expect(explorerUrlOf(network, 'xevnm-gaaaa-aaaar-qafnq-cai:12')).toBe(
    'https://explorer.example/xevnm-gaaaa-aaaar-qafnq-cai/transaction/12',
  );
});

test('there is no address where the operator configured none, or nothing was sent', () => {
  useExplorers(new Map([[base, 'https://explorer.example/tx/{transactionId}']]));
  expect(explorerUrlOf(evmNetwork(1), '0xab')).toBeNull();
  expect(explorerUrlOf(base, null)).toBeNull();
});
