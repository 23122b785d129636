import { describe, expect, test } from 'vitest';
import { isRevert, revertData } from './read-revert.ts';

const PAUSED = '0xd93c0665';
const refusal = (code: number, message: string, data?: unknown) => ({ ok: false, code, message, data }) as const;

describe('a revert, with the contract’s bytes wherever the node put them', () => {
  test.each([
    ['geth', refusal(3, 'execution reverted', PAUSED)],
    ['anvil', refusal(3, `execution reverted: custom error ${PAUSED}`, PAUSED)],
    ['nethermind', refusal(-32_015, 'VM execution error.', `Reverted ${PAUSED}`)],
    [
      'hardhat',
      refusal(-32_603, 'VM Exception while processing transaction: reverted', { message: 'x', data: PAUSED }),
    ],
    ['a wrapping provider', refusal(-32_000, 'execution reverted', { originalError: { code: 3, data: PAUSED } })],
    ['text alone', refusal(-32_000, `execution reverted: ${PAUSED}`)],
  ])('%s', (_, answer) => {
    expect(isRevert(answer)).toBe(true);
    expect(revertData(answer)).toBe(PAUSED);
  });
});

test('a revert whose bytes the node kept to itself', () => {
  for (const message of ['execution reverted', 'out of gas', 'gas required exceeds allowance (755000)']) {
    expect(isRevert(refusal(-32_000, message))).toBe(true);
    expect(revertData(refusal(-32_000, message, '0x'))).toBeUndefined();
  }
});

test.each([
  'EVM error InvalidFEOpcode',
  'invalid opcode: INVALID',
  'stack underflow (0 <=> 1)',
  'invalid jump destination',
  'write protection',
  'EVM error StateChangeDuringStaticCall',
])('code that ends itself is no trouble of the node: %s', (message) => {
  expect(isRevert(refusal(-32_000, message))).toBe(true);
});

test.each([
  refusal(-32_005, 'limit exceeded'),
  refusal(-32_000, 'header not found'),
  refusal(-32_000, `missing trie node 0x${'ab'.repeat(32)}`),
  refusal(-32_601, 'the method eth_call does not exist'),
])('a node that cannot answer did not see a revert: $message', (answer) => {
  expect(isRevert(answer)).toBe(false);
});
