import { describe, expect, test } from 'vitest';
import type { LaneItem } from '../lane/lane.ts';
import type { MinedBatch, MinedItem } from '../lane/lane-chain.ts';
import { decideOnBlock, decideOnOpenItems, decideOnRecorded } from './decide-on-verdict.ts';
import { type AgeingBatch, type BatchBlock, hasSameOutcome } from './finality-store.ts';
import type { BatchVerdict } from './judge-batch-block.ts';

const item = (paymentId: string, confirmations = 1) => ({ paymentId, confirmations }) as LaneItem;
const block: BatchBlock = { id: 'bat', blockNumber: 10n, blockHash: '0xa' };
const ageing = (...openItems: readonly LaneItem[]): AgeingBatch => ({ ...block, transactionId: '0x1', openItems });
const mined = (outcomes: Readonly<Record<string, MinedItem['outcome']>>, confirmations = 3n): MinedBatch => ({
  batchId: 'bat',
  transactionId: '0x1',
  blockNumber: 11n,
  blockHash: '0xb',
  confirmations,
  reverted: false,
  gasCostAtomic: 1n,
  feeRecipient: '0xf',
  items: Object.entries(outcomes).map(([paymentId, outcome]) => ({ paymentId, outcome }) as MinedItem),
});

describe('by its block a batch', () => {
  test.each([
    ['final', { action: 'wait' }],
    ['not_final', { action: 'wait' }],
    ['unknown', { action: 'wait' }],
    ['contradicted', { action: 'report' }],
    ['gone', { action: 'search_record', blockVerdict: 'gone' }],
    ['unread', { action: 'search_record', blockVerdict: 'unread' }],
  ] as const)('above the finalized height that is %s: %s', (verdict, decision) => {
    expect(decideOnBlock(block, verdict)).toEqual(decision);
  });

  test('in a final block is finished, after its open items were searched', () => {
    expect(decideOnBlock(ageing(), 'final')).toEqual({ action: 'finish', outcomes: [] });
    const open = ageing(item('pay_1'));
    expect(decideOnBlock(open, 'final')).toEqual({ action: 'search_open_items', batch: open });
    expect(decideOnBlock(open, 'not_final')).toEqual({ action: 'wait' });
  });
});

describe('a recorded batch with a refund, of which no result is recorded', () => {
  const carried = { ...item('pay_1'), refund: { id: 're_1' } } as LaneItem;
  const recorded = { items: [carried], settledIds: new Set<string>(), transactionId: '0x1' };
  const inBlock = mined({ pay_1: 'settled' });

  test('agrees with the chain whatever became of the refund, and with no other payment', () => {
    expect(hasSameOutcome(recorded, inBlock)).toBe(true);
    expect(hasSameOutcome(recorded, mined({ pay_1: 'reverted_alone' }))).toBe(true);
    expect(hasSameOutcome(recorded, mined({ pay_2: 'settled' }))).toBe(false);
  });

  test('is finished where it is final, and pending again when another block has it', () => {
    const decided = (judged: BatchVerdict) => decideOnRecorded(ageing(), 'unread', recorded, judged);
    expect(decided({ verdict: 'final', mined: inBlock })).toEqual({ action: 'finish', outcomes: [] });
    expect(decided({ verdict: 'moved', mined: inBlock })).toEqual({ action: 'reverse' });
  });
});

describe('a recorded batch with one settled and one unsettled payment', () => {
  const items = [item('pay_1'), item('pay_2', 3)];
  const recorded = { items, settledIds: new Set(['pay_1']), transactionId: '0x1' };
  const same = { pay_1: 'settled', pay_2: 'expired' } as const;
  const decided = (judged: BatchVerdict, row: BatchBlock = block, blockVerdict: 'gone' | 'unread' = 'gone') =>
    decideOnRecorded(row, blockVerdict, recorded, judged);

  test('is moved to the block that has it with the same outcome and enough confirmations', () => {
    const moved = mined(same);
    expect(decided({ verdict: 'moved', mined: moved })).toEqual({ action: 'move', mined: moved });
  });

  test.each([
    ['no node has it any more', { verdict: 'absent' }],
    ['another payment settled', { verdict: 'moved', mined: mined({ pay_1: 'expired', pay_2: 'settled' }) }],
    ['a payment is not in it', { verdict: 'moved', mined: mined({ pay_1: 'settled' }) }],
    ['another transaction of it was mined', { verdict: 'moved', mined: { ...mined(same), transactionId: '0x2' } }],
    ['a payment of it needs more confirmations', { verdict: 'moved', mined: mined(same, 2n) }],
  ] as const)('is reversed when %s', (_, judged) => {
    expect(decided(judged)).toEqual({ action: 'reverse' });
  });

  test('waits while nothing is known, and a contradiction is reported', () => {
    expect(decided({ verdict: 'not_final' })).toEqual({ action: 'wait' });
    expect(decided({ verdict: 'unknown' })).toEqual({ action: 'wait' });
    expect(decided({ verdict: 'contradicted' })).toEqual({ action: 'report' });
  });

  test('is finished with its open items only at the finalized height, and not after its block was gone', () => {
    const final = { verdict: 'final', mined: mined(same) } as const;
    const open = ageing(item('pay_2'));
    expect(decided(final, open, 'unread')).toEqual({ action: 'finish', outcomes: ['expired'] });
    expect(decided(final, block, 'unread')).toEqual({ action: 'wait' });
    expect(decided(final, open, 'gone')).toEqual({ action: 'wait' });
  });
});

describe('open items of a batch in a final block', () => {
  const batch = ageing(item('pay_2'), item('pay_1'));

  test('get their outcomes in their own order', () => {
    const judged = { verdict: 'final', mined: mined({ pay_1: 'expired', pay_2: 'no_evidence', pay_3: 'settled' }) };
    expect(decideOnOpenItems(batch, judged as BatchVerdict)).toEqual({
      action: 'finish',
      outcomes: ['no_evidence', 'expired'],
    });
  });

  test('get none while the chain settled one of them, or does not show one', () => {
    const final = (outcomes: Parameters<typeof mined>[0]) => () =>
      decideOnOpenItems(batch, { verdict: 'final', mined: mined(outcomes) });
    expect(final({ pay_1: 'settled', pay_2: 'expired' })).toThrow('pay_1 of batch bat is settled on the chain');
    expect(final({ pay_2: 'expired' })).toThrow('pay_1');
  });

  test('get none while their receipts deny the final block', () => {
    expect(() => decideOnOpenItems(batch, { verdict: 'absent' })).toThrow('absent');
    expect(() => decideOnOpenItems(batch, { verdict: 'contradicted' })).toThrow('contradicted');
    expect(decideOnOpenItems(batch, { verdict: 'not_final' })).toEqual({ action: 'wait' });
  });
});
