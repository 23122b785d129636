import { expect, test } from 'vitest';
import type { UnsettledOutcome } from '../lane/judge-item.ts';
import { settledPayment } from '../testing/settled-payment.ts';
import { decideFinal } from './decide-final.ts';

const [one, two] = [settledPayment({}).item, settledPayment({}).item];
const batch = { id: 'bat_a', openItems: [one, two] };

const ROWS: readonly {
  readonly outcomes: readonly UnsettledOutcome[];
  readonly ends: readonly ('failed' | 'held' | 'queued')[];
}[] = [
  { outcomes: ['expired', 'insufficient_funds'], ends: ['failed', 'failed'] },
  { outcomes: ['no_evidence', 'pull_refused'], ends: ['held', 'failed'] },
  { outcomes: ['authorization_used', 'not_yet_valid'], ends: ['held', 'queued'] },
  { outcomes: ['reverted', 'reverted_alone'], ends: ['queued', 'failed'] },
];

test.each(ROWS)('open items of a final batch that are $outcomes are $ends', ({ outcomes, ends }) => {
  const { failed, held, queued } = decideFinal(batch, outcomes, new Map());
  expect(
    batch.openItems.map((item) => {
      if (failed.some((of) => of.item === item)) return 'failed';
      return held.some((of) => of.item === item) ? 'held' : queued.includes(item) && 'queued';
    }),
  ).toEqual(ends);
});

test('a payment that another reverted batch may still settle is held, not failed', () => {
  const reverted = new Map([[one.paymentId, ['finalized', 'mined'] as const]]);
  const { failed, held } = decideFinal(batch, ['expired', 'expired'], reverted);
  expect(held).toEqual([{ item: one, refusal: null }]);
  expect(failed.map(({ item }) => item)).toEqual([two]);
});

test.each([[[]], [['expired']], [['expired', 'expired', 'expired']]] as [UnsettledOutcome[]][])(
  'outcomes %s of another number of items decide nothing',
  (outcomes) => {
    expect(() => decideFinal(batch, outcomes, new Map())).toThrow(/bat_a has 2 open items/);
  },
);
