import { describe, expect, test } from 'vitest';
import { judgeItem, UNSETTLED_OUTCOMES } from '../lane/judge-item.ts';
import { sampleActivation } from '../testing/sample-activation.ts';
import { settledPayment } from '../testing/settled-payment.ts';
import { isRevivable, judgeUnsettled, judgeUnsettledItems, mayQueueHeld } from './judge-unsettled.ts';

const { item } = settledPayment({});
const revertedIn = (
  ...statuses: readonly ('signed' | 'broadcast' | 'mined' | 'finalized' | 'replaced' | 'dropped')[]
) => new Map([[item.paymentId, statuses]]);
const NEVER = new Map();

const ROWS = [
  { statuses: [], revivable: false },
  { statuses: ['signed'], revivable: true },
  { statuses: ['broadcast'], revivable: true },
  { statuses: ['mined'], revivable: true },
  { statuses: ['finalized'], revivable: false },
  { statuses: ['replaced'], revivable: false },
  { statuses: ['dropped'], revivable: false },
  { statuses: ['finalized', 'mined', 'dropped'], revivable: true },
  { statuses: ['finalized', 'replaced', 'dropped'], revivable: false },
] as const;

describe.each(ROWS)('a payment whose reverted batches are $statuses', ({ statuses, revivable }) => {
  const reverted = revertedIn(...statuses);
  test(revivable ? 'may still be settled by one of them' : 'can be settled by none of them', () => {
    expect(isRevivable(item, reverted)).toBe(revivable);
    expect(mayQueueHeld(item, reverted)).toBe(!revivable);
  });

  test.each(UNSETTLED_OUTCOMES)(
    `and that is %s ${revivable ? 'never fails' : 'ends as its outcome says'}`,
    (outcome) => {
      const plain = judgeItem(item, outcome);
      const isKept = revivable && plain.end === 'failed';
      expect(judgeUnsettled(item, outcome, reverted)).toEqual(isKept ? { end: 'held' } : plain);
    },
  );
});

test('a reverted batch of another payment changes nothing', () => {
  const other = new Map([['pay_other', ['mined'] as const]]);
  expect(judgeUnsettled(item, 'expired', other)).toEqual({ end: 'failed', code: 'authorization_expired' });
});

test('a direct payment is held with why the chain refused it, whatever became of its reverted batches', () => {
  const direct = { ...item, payout: { ...item.payout, direct: sampleActivation() } };
  for (const statuses of [[], ['mined'], ['finalized']] as const) {
    const judged = judgeUnsettledItems([{ item: direct, outcome: 'insufficient_funds' }], revertedIn(...statuses));
    expect(judged).toEqual({ failed: [], held: [{ item: direct, refusal: 'insufficient_funds' }], queued: [] });
  }
});

test('every item is failed with its code, held, or queued again', () => {
  const items = [1, 2, 3, 4].map(() => settledPayment({}).item);
  const [one, two, three, four] = items as [typeof item, typeof item, typeof item, typeof item];
  const judged = judgeUnsettledItems(
    [
      { item: one, outcome: 'expired' },
      { item: two, outcome: 'no_evidence' },
      { item: three, outcome: 'refused_for_now' },
      { item: four, outcome: 'expired' },
    ],
    new Map([[four.paymentId, ['broadcast'] as const]]),
  );
  expect(judged).toEqual({
    failed: [{ item: one, code: 'authorization_expired' }],
    held: [
      { item: two, refusal: null },
      { item: four, refusal: null },
    ],
    queued: [three],
  });
  expect(judgeUnsettledItems([], NEVER)).toEqual({ failed: [], held: [], queued: [] });
});
