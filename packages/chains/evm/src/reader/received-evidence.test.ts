import { ChainUnavailable, type ProcessorLog } from '@svc-pay/core';
import { toEventSelector } from 'viem';
import { expect, test } from 'vitest';
import { TRANSFER, wordOf } from '../prove/settlement-logs.ts';
import { RECEIVED } from './money-logs.ts';
import { receivedEvidenceOf } from './received-evidence.ts';

const address = (byte: string) => `0x${byte.repeat(20)}`;
const [PROCESSOR, TOKEN, PAYER, MERCHANT, SPLIT, FEES] = ['aa', 'bb', 'cc', 'dd', 'ee', 'ff'].map(address) as [
  string,
  string,
  string,
  string,
  string,
  string,
];
const [BLOCK, TRANSACTION] = [wordOf(1n), wordOf(2n)];
const ESCROWED = toEventSelector('Escrowed(address,address,uint256)');
const APPROVAL = toEventSelector('Approval(address,address,uint256)');
const received: ProcessorLog = {
  event: 'payment_received',
  address: PROCESSOR,
  position: { blockNumber: 15n, blockHash: BLOCK, transactionId: TRANSACTION, logIndex: 4 },
  intentCode: 7n,
  payer: PAYER,
  asset: TOKEN,
  payoutId: 5n,
  amountAtomic: 1_000n,
  feeAtomic: 10n,
};

const log = (index: number, from: string, topics: string[], data: string) => ({
  address: from,
  topics,
  data,
  logIndex: `0x${index.toString(16)}`,
  blockNumber: '0xf',
  blockHash: BLOCK,
  transactionHash: TRANSACTION,
});
const moved = (index: number, from: string, to: string, value: bigint) =>
  log(index, TOKEN, [TRANSFER, wordOf(from), wordOf(to)], wordOf(value));
const kept = (index: number, to: string, value: bigint) =>
  log(index, PROCESSOR, [ESCROWED, wordOf(TOKEN), wordOf(to)], wordOf(value));
const event = log(
  4,
  PROCESSOR,
  [RECEIVED, wordOf(7n), wordOf(PAYER), wordOf(TOKEN)],
  `0x${[5n, 1_000n, 10n].map((value) => wordOf(value).slice(2)).join('')}`,
);
const pulled = moved(3, PAYER, PROCESSOR, 1_000n);
const shares = [moved(5, PROCESSOR, SPLIT, 90n), moved(6, PROCESSOR, MERCHANT, 900n), moved(7, PROCESSOR, FEES, 10n)];
const evidence = (...logs: object[]) =>
  receivedEvidenceOf(received, { transactionHash: TRANSACTION, blockHash: BLOCK, logs });

test('the transfer comes before the event, the fee is the last share', () => {
  expect(evidence(pulled, event, ...shares)).toEqual({
    transactionId: TRANSACTION,
    blockHash: BLOCK,
    legs: { transferLogIndex: 3, feeRecipient: FEES, escrowedFor: [] },
  });
});

test('a share that could not be delivered is in escrow, the fee too', () => {
  const [split, , fee] = shares;
  expect(evidence(pulled, event, split!, kept(6, MERCHANT, 900n), fee!)?.legs.escrowedFor).toEqual([MERCHANT]);
  expect(evidence(pulled, event, split!, kept(6, MERCHANT, 900n), kept(7, FEES, 10n))?.legs).toEqual({
    transferLogIndex: 3,
    feeRecipient: FEES,
    escrowedFor: [MERCHANT, FEES],
  });
});

test('shares of a second call in the same transaction are not of the first', () => {
  const second = [moved(9, PAYER, PROCESSOR, 1_000n), { ...event, logIndex: '0xa' }, kept(11, SPLIT, 1_000n)];
  expect(evidence(pulled, event, ...shares, ...second)?.legs).toMatchObject({ escrowedFor: [], feeRecipient: FEES });
});

test('a token may log the allowance that is left', () => {
  const approval = log(3, TOKEN, [APPROVAL, wordOf(PAYER), wordOf(PROCESSOR)], wordOf(0n));
  expect(evidence(moved(2, PAYER, PROCESSOR, 1_000n), approval, event, ...shares)?.legs.transferLogIndex).toBe(2);
});

test.each<[string, object[]]>([
  ['the transfer', [event, ...shares]],
  ['a transfer of that amount', [moved(3, PAYER, PROCESSOR, 999n), event, ...shares]],
  ['a transfer of that payer', [moved(3, MERCHANT, PROCESSOR, 1_000n), event, ...shares]],
  ['the event', [pulled, ...shares]],
  ['the event in its place', [pulled, { ...event, logIndex: '0x8' }, ...shares]],
  ['a share', [pulled, event, ...shares.slice(0, 2)]],
])('without %s there is no evidence', (_, logs) => {
  expect(evidence(...logs)).toBeUndefined();
});

test('a receipt of another transaction is not usable', () => {
  expect(() =>
    receivedEvidenceOf(received, { transactionHash: BLOCK, blockHash: BLOCK, logs: [pulled, event, ...shares] }),
  ).toThrow(ChainUnavailable);
});
