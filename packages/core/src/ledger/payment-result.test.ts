import { parseRate } from '@svc-pay/money';
import { UPTO_SETTLED_METADATA_KEY } from '@svc-pay/protocol';
import { describe, expect, test } from 'vitest';
import type { Intent } from '../intent/intent.ts';
import type { StoredPayment } from '../payment/payment.ts';
import { confirmed, sampleIntent, samplePayment } from '../testing/samples.ts';
import { settledPayment } from '../testing/settled-payment.ts';
import { TOKENS } from '../token/catalogue.ts';
import type { LedgerEntry } from './ledger-entry.ts';
import {
  completedResult,
  failedResult,
  reversedResult,
  type SnapshotToChange,
  settledItems,
} from './payment-result.ts';

const NOW_MS = 1_700_000_100_000;
const ORIGIN = { requestId: 'bat_a', nowMs: NOW_MS };
const NO_RATES = { gasCoin: undefined, token: undefined };
const settled = settledPayment({ capAtomic: 1_000_000n, settledAtomic: 600_000n, feeBps: 100, gasShareAtomic: 5n });
const { item } = settled;

function readOf(intent: Partial<Intent>, payment: Partial<StoredPayment>): SnapshotToChange {
  return {
    intent: sampleIntent({ id: item.intentId, ...intent }),
    payment: samplePayment({ id: item.paymentId, ...payment }),
    version: 4,
    eventSequence: 7,
  };
}
const pending = readOf({ status: 'processing' }, { status: 'pending' });
const sums = (entries: readonly LedgerEntry[]) =>
  [...Map.groupBy(entries, ({ asset }) => asset).values()].map((of) =>
    of.reduce((sum, { amountAtomic }) => sum + amountAtomic, 0n),
  );

describe('a completed payment', () => {
  const result = completedResult(pending, settled, NO_RATES, ORIGIN);

  test('is written with its intent, settlement, amounts and balanced entries, as it was read', () => {
    expect(result).toMatchObject({
      paymentFrom: 'pending',
      version: 4,
      eventSequence: 7,
      settlement: 'completed',
      externalCostAtomic: 0n,
      after: {
        intent: { status: 'completed' },
        payment: {
          status: 'completed',
          paidAmount: 600_000n,
          feeAmount: 6_000n,
          returnedAmount: 400_000n,
          splits: [],
          failureCode: null,
          transactionId: settled.batch.transactionId,
          transactionSplitId: `${settled.batch.transactionId}:${settled.mined.logIndex}`,
          completedAtMs: NOW_MS,
        },
      },
    });
    expect(sums(result.entries)).toEqual([0n, 0n]);
  });

  test('is announced once: its events continue the sequence of the intent and carry the request', () => {
    expect(result.events.map(({ type, sequence, requestId }) => [type, sequence, requestId])).toEqual([
      ['payment.created', 8, 'bat_a'],
      ['payment.completed', 9, 'bat_a'],
    ]);
    expect(result.after.payment.announced).toBe(true);
    const { transactionId } = settled.batch;
    const linked = readOf({ status: 'processing' }, { announced: true, transactionId });
    const again = completedResult(linked, settled, NO_RATES, ORIGIN);
    expect(again.events.map(({ type }) => type)).toEqual(['payment.completed']);
    expect(again.after.payment.announced).toBe(true);
  });

  test('that names another transaction, or none, names the mined one first, while it is pending', () => {
    const bodies = (from: SnapshotToChange) =>
      completedResult(from, settled, NO_RATES, ORIGIN).events.map(({ type, bodyBefore }) => {
        const { object, previous_attributes } = JSON.parse(`${bodyBefore}0}`).data;
        return [type, object.status, object.transactionId, previous_attributes];
      });
    const { transactionId } = settled.batch;
    const done = ['payment.completed', 'completed', transactionId, undefined];
    expect(bodies(pending)).toEqual([['payment.created', 'pending', transactionId, undefined], done]);
    const bumped = readOf({ status: 'processing' }, { announced: true, transactionId: '0xbumped' });
    const before = { transactionId: '0xbumped', ledgerTxId: '0xbumped' };
    expect(bodies(bumped)).toEqual([['payment.updated', 'pending', transactionId, before], done]);
  });

  test('of an up-to intent tells the settled amount in the metadata of the service', () => {
    const upto = { ...pending, intent: confirmed(pending.intent) };
    const { after } = completedResult(upto, settled, NO_RATES, ORIGIN);
    expect(after.intent.serviceMetadata[UPTO_SETTLED_METADATA_KEY]).toBe('600000');
    expect(result.after.intent.serviceMetadata[UPTO_SETTLED_METADATA_KEY]).toBeUndefined();
  });

  test('tells its gas share in its token where both have a price', () => {
    const unit = TOKENS.find(({ shortcode }) => shortcode === 'basesepolia_usdc')?.unit;
    if (unit === undefined) throw new Error('no token');
    const rate = parseRate({ token: unit, usdPerToken: '1', source: 'test', observedAtMs: NOW_MS });
    if (!rate.ok) throw new Error('no rate');
    const rates = { gasCoin: rate.rate, token: rate.rate };
    expect(completedResult(pending, settled, rates, ORIGIN).externalCostAtomic).toBe(5n);
  });
});

describe('a failed payment', () => {
  test.each([
    { lives: true, transactionId: null, intent: 'requires_payment' },
    { lives: true, transactionId: '0xbb', intent: 'requires_payment' },
    { lives: false, transactionId: null, intent: 'failed' },
  ])(
    'leaves its intent $intent (intent lives: $lives, transaction $transactionId)',
    ({ lives, transactionId, intent }) => {
      const expiresAtMs = lives ? NOW_MS + 1 : NOW_MS;
      const read = readOf({ status: 'processing', expiresAtMs }, { status: 'pending' });
      const result = failedResult(read, { item, code: 'insufficient_funds' }, transactionId, ORIGIN);
      expect(result).toMatchObject({
        paymentFrom: 'pending',
        settlement: 'failed',
        externalCostAtomic: null,
        entries: [],
        after: {
          intent: { status: intent },
          payment: { status: 'failed', failureCode: 'insufficient_funds', paidAmount: null, transactionId },
        },
      });
      expect(result.events.map(({ type }) => type)).toContain('payment.failed');
    },
  );
});

describe('a reversed payment', () => {
  const { after, entries } = completedResult(pending, settled, NO_RATES, ORIGIN);
  const completed = { ...pending, ...after, version: 5, eventSequence: 9 };
  const stranded = { ...item, strandedTransfer: { action: 'settle', transactionId: '0x01', logIndex: 1 } } as const;

  test.each([
    { kind: 'an own transfer', of: item, settlement: 'batched' },
    { kind: 'a stranded transfer', of: stranded, settlement: 'held' },
  ])('of $kind is pending again, its settlement $settlement, its entries undone', ({ of, settlement }) => {
    const result = reversedResult(completed, of, entries, ORIGIN);
    expect(result).toMatchObject({
      paymentFrom: 'completed',
      version: 5,
      settlement,
      externalCostAtomic: null,
      after: {
        intent: { status: 'processing' },
        payment: {
          status: 'pending',
          paidAmount: null,
          feeAmount: null,
          returnedAmount: null,
          splits: null,
          transactionId: settled.batch.transactionId,
          transactionSplitId: null,
          completedAtMs: null,
          announced: true,
        },
      },
    });
    expect(result.entries.map(({ reverses, amountAtomic }) => [reverses, amountAtomic])).toEqual(
      entries.map(({ id, amountAtomic }) => [id, -amountAtomic]),
    );
    expect(result.events.map(({ type, sequence }) => [type, sequence])).toEqual([['payment.updated', 10]]);
  });
});

test.each([
  ['missing', undefined],
  ['without a payment', { ...pending, payment: null }],
  ['with another payment', readOf({ status: 'processing' }, { id: settledPayment({}).item.paymentId })],
])('an intent that is %s gets no result', (_, read) => {
  const problem = `intent ${item.intentId} does not name payment ${item.paymentId}`;
  expect(() => completedResult(read, settled, NO_RATES, ORIGIN)).toThrow(problem);
  expect(() => failedResult(read, { item, code: 'token_refused' }, null, ORIGIN)).toThrow(problem);
  expect(() => reversedResult(read, item, [], ORIGIN)).toThrow(problem);
});

test('only items that the transaction settled are settled items', () => {
  const others = [1, 2].map(() => settledPayment({}).item);
  const items = [others[0]!, item, others[1]!];
  const mined = [
    { paymentId: others[0]!.paymentId, outcome: 'expired' as const },
    settled.mined,
    { paymentId: others[1]!.paymentId, outcome: 'reverted' as const },
  ];
  expect(settledItems(items, { items: mined })).toEqual([{ item, mined: settled.mined }]);
});
