import { expect, test } from 'vitest';
import { carriedPayment, onChainTransaction } from '../testing/carried-payment.ts';
import { type BatchFacts, decideRestoredBatch, raisedNonce } from './decide-restored-batch.ts';

const onChain = onChainTransaction({
  carried: [carriedPayment({ intentCode: 1n }), carriedPayment({ intentCode: 2n })],
});
type Stored = NonNullable<BatchFacts['ofNonce']>;
const stored = (change: Partial<Stored> = {}): Stored => ({
  id: 'bat_1',
  status: 'broadcast',
  transactionId: '0xaa',
  intentCodes: [1n, 2n],
  ...change,
});
const decide = (facts: Partial<BatchFacts>) =>
  decideRestoredBatch(onChain, { ofTransaction: undefined, ofNonce: undefined, ...facts });

test.each([
  ['signed', 'pending'],
  ['broadcast', 'pending'],
  ['mined', 'recorded'],
  ['finalized', 'recorded'],
] as const)('a transaction that the database has in a %s batch is kept there as %s', (status, was) => {
  const batch = stored({ status, transactionId: onChain.transactionId });
  expect(decide({ ofTransaction: batch, ofNonce: batch })).toEqual({ step: 'keep', batchId: 'bat_1', was });
});

test('a transaction that the database does not have gets a batch', () => {
  expect(decide({})).toEqual({ step: 'create', giveUp: undefined });
});

test.each<[string, readonly bigint[], ReturnType<typeof decide>]>([
  ['the same payments', [1n, 2n], { step: 'add_transaction', batchId: 'bat_1' }],
  ['some of the payments', [2n], { step: 'add_transaction', batchId: 'bat_1' }],
  ['another payment', [1n, 3n], { step: 'create', giveUp: 'bat_1' }],
  ['no payment any more', [], { step: 'create', giveUp: 'bat_1' }],
])(
  'a pending batch under the nonce with %s: a fee bump joins it, any other call replaces it',
  (_, intentCodes, step) => {
    expect(decide({ ofNonce: stored({ intentCodes }) })).toEqual(step);
  },
);

test.each(['mined', 'finalized'] as const)(
  'a nonce that is recorded as %s with another transaction is a contradiction',
  (status) => {
    expect(decide({ ofNonce: stored({ status }) })).toEqual({
      step: 'contradiction',
      reason: `nonce 5 of ${onChain.relayer} is recorded as 0xaa, the chain has ${onChain.transactionId}`,
    });
  },
);

test('a batch that was given up and has the transaction is revived, never created beside it', () => {
  expect(decide({ givenUp: 'bat_0' })).toEqual({ step: 'revive', batchId: 'bat_0', giveUp: undefined });
  expect(decide({ givenUp: 'bat_0', ofNonce: stored() })).toEqual({
    step: 'revive',
    batchId: 'bat_0',
    giveUp: 'bat_1',
  });
  expect(decide({ givenUp: 'bat_0', ofNonce: stored({ status: 'mined' }) })).toMatchObject({ step: 'contradiction' });
});

test('a next nonce is only ever raised', () => {
  expect(raisedNonce(7n, 9n)).toBe(9n);
  expect(raisedNonce(9n, 7n)).toBe(9n);
});
