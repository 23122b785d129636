import type { OpenAuthorization } from '@svc-pay/core';
import { numberToHex } from 'viem';
import { expect, test } from 'vitest';
import { wordOf } from '../prove/settlement-logs.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { readAuthorizations } from './read-authorizations.ts';

const USED_IN = 103n;
const open = {
  asset: `0x${'70'.repeat(20)}`,
  payer: `0x${'aa'.repeat(20)}`,
  nonce: `0x${'01'.repeat(32)}`,
  validBeforeSeconds: 102n,
} as OpenAuthorization;

/** Its finalized block has its number for its time; `silent` nodes answer nothing else. */
const nodeAt =
  (finalized: bigint, does: 'answers' | 'lies' | 'silent' = 'answers'): JsonRpc =>
  async (calls) =>
    calls.map(({ method }) => {
      const height = numberToHex(finalized);
      if (method === 'eth_getBlockByNumber') return { ok: true, result: { number: height, timestamp: height } };
      if (does === 'silent') return { ok: false, code: -32_000, message: 'not now', data: undefined };
      return { ok: true, result: wordOf(finalized >= USED_IN || does === 'lies' ? 1n : 0n) };
    });

test.each([
  ['both say so', [nodeAt(103n), nodeAt(104n)], 'used', 103n],
  ['one node is ahead', [nodeAt(103n), nodeAt(102n)], 'open', 102n],
  ['one node is ahead and the other does not say', [nodeAt(103n), nodeAt(102n, 'silent')], 'open', 102n],
  ['one node lies', [nodeAt(101n, 'lies'), nodeAt(101n)], 'open', 101n],
  ['two of three say so', [nodeAt(102n), nodeAt(103n), nodeAt(103n)], 'used', 103n],
  ['there is one node', [nodeAt(103n)], 'used', 103n],
] as const)('a use is told once a quorum has it by its finalized time: %s', async (_, nodes, state, seconds) => {
  const reader = await readAuthorizations(nodes);
  expect(reader.finalizedTimeSeconds).toBe(seconds);
  expect(await reader.readStates([open], 'quorum')).toEqual([state]);
});

test('the first node that answers is enough where a use is only traced further', async () => {
  const reader = await readAuthorizations([nodeAt(103n), nodeAt(102n)]);
  expect(await reader.readStates([open], 'first')).toEqual(['used']);
});
