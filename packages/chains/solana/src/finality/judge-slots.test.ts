// Settled batches are judged by statuses alone; nodes are doubles that answer `getSignatureStatuses` and count the calls.
import type { AgeingBatch } from '@svc-pay/core';
import { expect, test } from 'vitest';
import { nodeFrom } from '../rpc/solana-node.ts';
import { judgeSlots } from './judge-recorded.ts';

const ID = '1'.repeat(64);
const batch = (index: number, fields: Partial<AgeingBatch> = {}): AgeingBatch => ({
  id: `bat_${index}`,
  transactionId: ID,
  blockNumber: 7n,
  blockHash: 'slot:7',
  openItems: [],
  ...fields,
});

type Status = { slot: bigint; err: unknown; confirmationStatus: string; confirmations: null; status: unknown } | null;
const status = (fields: Partial<NonNullable<Status>> = {}): Status => ({
  slot: 7n,
  err: null,
  confirmationStatus: 'finalized',
  confirmations: null,
  status: { Ok: null },
  ...fields,
});

/** A node that gives every transaction this status; `silent` gives no answer. */
function nodeWith(told: Status | 'silent', calls: number[] = []) {
  return nodeFrom(async (_method, params = []) => {
    const [ids] = params as [string[]];
    calls.push(ids.length);
    if (told === 'silent') return { ok: false, code: -32_005n, message: 'node is behind', data: null };
    return { ok: true, result: { context: { slot: 99n }, value: ids.map(() => told) } };
  });
}

const FINAL = status();

test.for<[string, readonly (Status | 'silent')[], 'final' | 'unread']>([
  ['one node says final', [FINAL], 'final'],
  ['two of two say final', [FINAL, FINAL], 'final'],
  ['two of three say final, one knows nothing', [FINAL, FINAL, null], 'final'],
  ['one of three answers', [FINAL, 'silent', 'silent'], 'final'],
  ['one of two says final, one knows nothing', [FINAL, null], 'unread'],
  ['two of four say final', [FINAL, FINAL, null, null], 'unread'],
  ['another slot', [status({ slot: 8n })], 'unread'],
  ['not final yet', [status({ confirmationStatus: 'confirmed' })], 'unread'],
  ['failed', [status({ err: { InstructionError: [0n, 'Custom'] } })], 'unread'],
  ['unknown to the node', [null], 'unread'],
  ['no node answers', ['silent'], 'unread'],
])('a settled batch is judged by its status: %s', async ([, told, verdict]) => {
  expect(
    await judgeSlots(
      told.map((one) => nodeWith(one)),
      [batch(1)],
    ),
  ).toEqual([verdict]);
});

test('a batch with an open item, a block without its transaction and a malformed id are not judged by their status', async () => {
  const calls: number[] = [];
  const open = batch(2, { openItems: [{} as never] });
  const { openItems: _, transactionId: __, ...block } = batch(3);
  const malformed = batch(4, { transactionId: '0x12' });
  expect(await judgeSlots([nodeWith(FINAL, calls)], [batch(1), open, block, malformed])).toEqual([
    'final',
    'unread',
    'unread',
    'unread',
  ]);
  expect(calls).toEqual([1]);
});

test('six hundred batches cost three calls a node', async () => {
  const calls: number[] = [];
  const batches = Array.from({ length: 600 }, (_, index) => batch(index));
  expect(new Set(await judgeSlots([nodeWith(FINAL, calls)], batches))).toEqual(new Set(['final']));
  expect(calls).toEqual([256, 256, 88]);
});
