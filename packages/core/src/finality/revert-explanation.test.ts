import { describe, expect, test } from 'vitest';
import type { MinedBatch, MinedItem } from '../lane/lane-chain.ts';
import { judgeBatch } from './judge-batch-block.ts';

const batchBlock = { id: 'bat', blockNumber: 10n, blockHash: '0xa' };
const minedAs = (outcome: MinedItem['outcome'], change: Partial<MinedBatch> = {}): MinedBatch => ({
  batchId: 'bat',
  transactionId: '0x1',
  blockNumber: 10n,
  blockHash: '0xa',
  confirmations: 3n,
  reverted: true,
  gasCostAtomic: 1n,
  feeRecipient: '0xf',
  items: [{ paymentId: 'pay', outcome } as MinedItem],
  ...change,
});
const judged = (...views: readonly MinedBatch[]) =>
  judgeBatch(
    batchBlock,
    views.map((mined) => ({ hash: '0xa', finalizedNumber: 10n, mined })),
  );
const outcomeOf = (...views: readonly MinedBatch[]) => {
  const verdict = judged(...views);
  return 'mined' in verdict ? verdict.mined.items.map(({ outcome }) => outcome) : verdict.verdict;
};

describe('nodes that agree on a reverted transaction and explain it differently', () => {
  test.each([
    [['reverted_alone', 'authorization_used'], 'authorization_used'],
    [['authorization_used', 'reverted_alone'], 'authorization_used'],
    [['reverted_alone', 'reverted_alone', 'intent_already_settled'], 'intent_already_settled'],
    [['refused_for_now', 'authorization_used'], 'authorization_used'],
    [['reverted_alone', 'refused_for_now'], 'refused_for_now'],
    [['refused_for_now', 'reverted_alone', 'reverted_alone'], 'refused_for_now'],
    [['reverted_alone', 'reverted_alone'], 'reverted_alone'],
  ] as const)('%s: the payment is %s', (outcomes, expected) => {
    expect(outcomeOf(...outcomes.map((outcome) => minedAs(outcome)))).toEqual([expected]);
  });

  test('and name different recipients of fees wait for nothing', () => {
    const views = [minedAs('reverted_alone'), minedAs('refused_for_now', { feeRecipient: '0xe' })];
    expect(outcomeOf(...views)).toEqual(['refused_for_now']);
  });
});

test('a fee recipient is compared only where something settled', () => {
  const failed = (feeRecipient: string) => minedAs('expired', { reverted: false, feeRecipient });
  expect(outcomeOf(failed('0xf'), failed('0xe'))).toEqual(['expired']);
  const settled = (feeRecipient: string) => minedAs('settled', { reverted: false, feeRecipient });
  expect(outcomeOf(settled('0xf'), settled('0xe'))).toBe('contradicted');
  expect(outcomeOf(settled('0xf'), settled('0xf'))).toEqual(['settled']);
});

test('nodes that contradict each other about anything else decide nothing', () => {
  const one = minedAs('reverted_alone');
  expect(outcomeOf(one, { ...one, transactionId: '0x2' })).toBe('contradicted');
  expect(outcomeOf(one, { ...one, gasCostAtomic: 2n })).toBe('contradicted');
  expect(outcomeOf(one, minedAs('authorization_used', { reverted: false }))).toBe('contradicted');
  expect(outcomeOf(one, minedAs('reverted'))).toBe('contradicted');
  // In a transaction that did not revert these outcomes come from logs.
  const logged = (outcome: MinedItem['outcome']) => minedAs(outcome, { reverted: false });
  expect(outcomeOf(logged('authorization_used'), logged('intent_already_settled'))).toBe('contradicted');
});
