import { describe, expect, test } from 'vitest';
import { UNSETTLED_OUTCOMES } from '../lane/judge-item.ts';
import { ITEM_OUTCOMES } from '../lane/lane-chain.ts';
import type { UnsentItem } from '../lane/lane-store.ts';
import {
  isBatchedAgain,
  judgeMinedTransfer,
  judgeRefusedTransfer,
  type RefusedTransferVerdict,
} from './judge-stranded-transfer.ts';

const transfer = (action: 'settle' | 'return') => ({
  strandedTransfer: { action, transactionId: '0x01', logIndex: 0 },
});

describe('a stranded transfer whose transaction is mined', () => {
  test.each([
    ['settle', 'completion'],
    ['return', 'return'],
  ] as const)('and settled is done, with the books of its action %s', (action, books) => {
    for (const reason of [null, 'reverted'])
      expect(judgeMinedTransfer(transfer(action), { outcome: 'settled' }, reason)).toEqual({
        status: 'done',
        reason: null,
        books,
      });
  });

  test.each(UNSETTLED_OUTCOMES)(
    'as %s waits for finality, and is blocked only by a second revert in a row',
    (outcome) => {
      for (const reason of [null, ...UNSETTLED_OUTCOMES]) {
        const blocked = outcome === 'reverted' && reason === 'reverted';
        expect(judgeMinedTransfer(transfer('return'), { outcome }, reason)).toEqual({
          status: blocked ? 'blocked' : 'mined',
          reason: outcome,
        });
      }
    },
  );
});

describe('a stranded transfer that the processor refuses for good', () => {
  const RETURNED: Readonly<Partial<Record<UnsentItem['outcome'], RefusedTransferVerdict>>> = {
    intent_already_settled: { end: 'return', code: 'intent_not_payable' },
    payout_inactive: { end: 'return', code: 'x402_temporarily_unavailable' },
    amount_out_of_range: { end: 'return', code: 'amount_mismatch' },
    nonce_not_bound: { end: 'return', code: 'acceptance_mismatch' },
  };
  const outcomes = ITEM_OUTCOMES.filter((outcome) => outcome !== 'settled');

  test.each(outcomes)('as %s fails its payment and is returned only if the terms are refused', (outcome) => {
    expect(judgeRefusedTransfer(transfer('settle'), outcome)).toEqual(
      RETURNED[outcome] ?? { end: 'blocked', reason: outcome },
    );
  });

  test.each(outcomes)('as %s is blocked if it is being returned already', (outcome) => {
    expect(judgeRefusedTransfer(transfer('return'), outcome)).toEqual({ end: 'blocked', reason: outcome });
  });
});

test.each([
  { status: 'mined', reason: 'no_evidence', again: true },
  { status: 'mined', reason: 'reverted', again: true },
  { status: 'done', reason: null, again: true },
  { status: 'blocked', reason: 'reverted', again: true },
  { status: 'blocked', reason: 'malformed', again: false },
  { status: 'queued', reason: 'reverted', again: false },
  { status: 'batched', reason: null, again: false },
] as const)('a reorg of its batch puts a transfer that is $status by $reason back: $again', ({ again, ...record }) => {
  expect(isBatchedAgain(record)).toBe(again);
});
