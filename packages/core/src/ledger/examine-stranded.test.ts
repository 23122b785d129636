import type { PaymentStatus } from '@svc-pay/protocol';
import { expect, test } from 'vitest';
import type { StrandedStatus } from '../stranded/stranded-transitions.ts';
import type { BookedEntry, BookedPaymentRow } from './books.ts';
import { examineEntries } from './examine-entries.ts';

const [payer, merchant] = [`0x${'11'.repeat(20)}`, `0x${'22'.repeat(20)}`];
const [STRANDED, RESOLVED] = ['0xaa', '0xbb'];

let count = 0;
const entry = (
  accountName: BookedEntry['accountName'],
  party: string,
  amountAtomic: bigint,
  transactionId: string,
  asset = '0xtoken',
): BookedEntry => ({
  id: `lg_${++count}`,
  network: 'eip155:84532',
  accountName,
  party,
  amountAtomic,
  transactionId,
  logIndex: transactionId === STRANDED ? 1 : 7,
  asset,
  reverses: null,
});

const came = () => [entry('payer', payer, -100n, STRANDED), entry('stranded', payer, 100n, STRANDED)];
const gas = () => [
  entry('network_cost', merchant, -5n, RESOLVED, 'native'),
  entry('network_cost', 'network', 5n, RESOLVED, 'native'),
];
const given = () => [entry('stranded', payer, -100n, RESOLVED), entry('merchant', merchant, 100n, RESOLVED)];
const back = () => [entry('stranded', payer, -100n, RESOLVED), entry('refund', payer, 100n, RESOLVED)];

function row(
  status: PaymentStatus,
  action: string,
  progress: StrandedStatus,
  entries: readonly BookedEntry[],
): BookedPaymentRow {
  const paid = status === 'completed';
  return {
    accountId: 'acct_a',
    mode: 'test',
    paymentId: 'pay_a',
    status,
    network: 'eip155:84532',
    asset: '0xtoken',
    payer,
    nonce: null,
    paidAtomic: paid ? 100n : null,
    feeAtomic: paid ? 0n : null,
    refundAtomic: paid ? 0n : null,
    refundedAtomic: null,
    refunds: [],
    transactionId: paid ? RESOLVED : null,
    splitId: paid ? `${RESOLVED}:7` : null,
    intentId: 'pi_a',
    intent: null,
    settlement: {
      status: paid ? 'completed' : 'failed',
      capAtomic: 100n,
      settledAtomic: 100n,
      payoutId: 1n,
      claimedBy: 'pay_a',
      batch: null,
      direct: false,
      foreignTransactionId: null,
    },
    settlementKept: true,
    terms: { merchant, feeBps: 0, splits: [] },
    provenPaymentId: null,
    strandedTransfer: { action, status: progress, transactionId: STRANDED, logIndex: 1, batchId: 'bat_a' },
    entries,
  };
}

test.each([
  ['completed with its stranded money', row('completed', 'settle', 'done', [...came(), ...given(), ...gas()])],
  ['still held', row('pending', 'settle', 'batched', came())],
  ['returned', row('failed', 'return', 'done', [...came(), ...back(), ...gas()])],
  ['about to be returned', row('failed', 'return', 'queued', came())],
])('books of stranded money hold: %s', (_, sound) => {
  expect(examineEntries(sound)).toEqual([]);
});

test.each([
  ['it never came', row('completed', 'settle', 'done', [...given(), ...gas()])],
  ['it was given to nobody', row('completed', 'settle', 'done', [...came(), ...gas()])],
  ['it was returned and completed too', row('completed', 'return', 'done', [...came(), ...back()])],
  ['it is called done and still lies there', row('failed', 'return', 'done', came())],
  ['it went back before anything was sent', row('failed', 'return', 'queued', [...came(), ...back()])],
  ['it completed a payment that is pending', row('pending', 'settle', 'done', [...came(), ...given()])],
])('a lie about stranded money is found: %s', (_, spoiled) => {
  expect(examineEntries(spoiled)).not.toEqual([]);
});
