import type { BookedPaymentRow } from '@svc-pay/core';
import { toEventSelector } from 'viem';
import { expect, test } from 'vitest';
import { examineDirect } from './examine-direct.ts';
import { type ChainLog, TRANSFER, topicOf } from './processor-logs.ts';

const [TOKEN, OTHER] = [`0x${'70'.repeat(20)}`, `0x${'71'.repeat(20)}`];
const [ALICE, BOB, WALLET] = [`0x${'aa'.repeat(20)}`, `0x${'bb'.repeat(20)}`, `0x${'77'.repeat(20)}`];
const nonceOf = (digit: string) => `0x${digit.repeat(64)}`;
const USED = toEventSelector('AuthorizationUsed(address,bytes32)');
const APPROVAL = toEventSelector('Approval(address,address,uint256)');
const data = `0x${'64'.padStart(64, '0')}`;

type Part = Pick<ChainLog, 'address' | 'topics'>;
const used = (payer: string, nonce: string, address = TOKEN): Part => ({
  address,
  topics: [USED, topicOf(payer), nonce],
});
const moved = (payer: string, address = TOKEN): Part => ({
  address,
  topics: [TRANSFER, topicOf(payer), topicOf(WALLET)],
});
const approved = (address = TOKEN): Part => ({ address, topics: [APPROVAL, topicOf(ALICE), topicOf(WALLET)] });

const receiptOf = (parts: readonly Part[]) => ({
  transactionId: '0x01',
  costAtomic: 0n,
  logs: parts.map((part, index) => ({ ...part, data, blockNumber: 1n, transactionId: '0x01', logIndex: index + 10 })),
});
const rowOf = (payer: string, nonce: string, logIndex: number) =>
  ({
    payer,
    nonce,
    asset: TOKEN,
    paidAtomic: 100n,
    splitId: `0x01:${logIndex}`,
    terms: { merchant: WALLET, feeBps: 0, splits: [] },
    entries: [],
  }) as unknown as BookedPaymentRow;

const BATCH = [used(ALICE, nonceOf('1')), moved(ALICE), used(BOB, nonceOf('2')), moved(BOB)];

test.each<[string, readonly Part[], BookedPaymentRow, boolean]>([
  ['the first of a batch', BATCH, rowOf(ALICE, nonceOf('1'), 11), true],
  ['the second of a batch', BATCH, rowOf(BOB, nonceOf('2'), 13), true],
  ['another payer’s transfer', BATCH, rowOf(BOB, nonceOf('2'), 11), false],
  ['another payment’s transfer of the same payer', BATCH, rowOf(ALICE, nonceOf('2'), 11), false],
  ['a transfer without a use', [moved(ALICE)], rowOf(ALICE, nonceOf('1'), 10), false],
  [
    'a second transfer after one use',
    [used(ALICE, nonceOf('1')), moved(ALICE), moved(ALICE)],
    rowOf(ALICE, nonceOf('1'), 12),
    false,
  ],
  [
    'another log of the token between use and transfer',
    [used(ALICE, nonceOf('1')), approved(), moved(ALICE)],
    rowOf(ALICE, nonceOf('1'), 12),
    false,
  ],
  [
    'a log of another contract between use and transfer',
    [used(ALICE, nonceOf('1')), approved(OTHER), moved(ALICE)],
    rowOf(ALICE, nonceOf('1'), 12),
    true,
  ],
  [
    'a use that another contract logged',
    [used(ALICE, nonceOf('1'), OTHER), moved(ALICE)],
    rowOf(ALICE, nonceOf('1'), 11),
    false,
  ],
])('a payment is proven only by its own use and the transfer right after it: %s', (_, parts, row, isProven) => {
  expect(examineDirect(row, receiptOf(parts)) === undefined).toBe(isProven);
});
