import { type AuthorizationLog, ChainUnavailable } from '@svc-pay/core';
import { expect, test } from 'vitest';
import { AUTHORIZATION_USED, TRANSFER, wordOf } from '../prove/settlement-logs.ts';
import { useEvidenceOf } from './use-evidence.ts';

const [TOKEN, OTHER] = [`0x${'bb'.repeat(20)}`, `0x${'ee'.repeat(20)}`];
const [PAYER, WALLET] = [`0x${'cc'.repeat(20)}`, `0x${'ff'.repeat(20)}`];
const NONCE = `0x${'dd'.repeat(32)}`;
const [BLOCK, TRANSACTION] = [`0x${'01'.repeat(32)}`, `0x${'02'.repeat(32)}`];
const use: AuthorizationLog = {
  event: 'authorization_used',
  address: TOKEN,
  position: { blockNumber: 15n, blockHash: BLOCK, transactionId: TRANSACTION, logIndex: 4 },
  payer: PAYER,
  nonce: NONCE,
};

const log = (index: number, address: string, topics: string[], data = '0x') => ({
  address,
  topics,
  data,
  logIndex: `0x${index.toString(16)}`,
  blockNumber: '0xf',
  blockHash: BLOCK,
  transactionHash: TRANSACTION,
});
const used = log(4, TOKEN, [AUTHORIZATION_USED, wordOf(PAYER), NONCE]);
const moved = (index: number, value: bigint, address = TOKEN) =>
  log(index, address, [TRANSFER, wordOf(PAYER), wordOf(WALLET)], wordOf(value));
const receipt = (...logs: object[]) => ({ transactionHash: TRANSACTION, blockHash: BLOCK, logs });
const transferIn = (...logs: object[]) => useEvidenceOf(use, receipt(...logs))?.transfer;

test('the transfer is the token’s very next log of the transaction', () => {
  const found = { logIndex: 5, from: PAYER, to: WALLET, valueAtomic: 900n };
  expect(useEvidenceOf(use, receipt(used, moved(5, 900n), moved(6, 1n)))).toEqual({
    transactionId: TRANSACTION,
    blockHash: BLOCK,
    transfer: found,
  });
  expect(transferIn(moved(6, 1n), moved(5, 900n), used)).toEqual(found);
});

test('logs of other contracts may stand between, and prove nothing', () => {
  expect(transferIn(used, moved(5, 1n, OTHER), moved(6, 900n))).toMatchObject({ logIndex: 6 });
  expect(transferIn(used, moved(5, 1n, OTHER))).toBeUndefined();
});

test('another log of the token that comes next is no transfer, even if one follows', () => {
  const second = log(5, TOKEN, [AUTHORIZATION_USED, wordOf(PAYER), `0x${'11'.repeat(32)}`]);
  expect(transferIn(used, second, moved(6, 900n))).toBeUndefined();
  expect(transferIn(moved(3, 900n), used)).toBeUndefined();
});

test.each([
  ['with an indexed value', log(5, TOKEN, [TRANSFER, wordOf(PAYER), wordOf(WALLET), wordOf(9n)])],
  ['with two words', log(5, TOKEN, [TRANSFER, wordOf(PAYER), wordOf(WALLET)], `${wordOf(9n)}${wordOf(9n).slice(2)}`)],
  ['to no address', log(5, TOKEN, [TRANSFER, wordOf(PAYER), NONCE], wordOf(9n))],
])('a transfer %s is none', (_, odd) => {
  expect(transferIn(used, odd)).toBeUndefined();
});

test('without the receipt, or the use at its place, there is no evidence', () => {
  expect(useEvidenceOf(use, null)).toBeUndefined();
  expect(useEvidenceOf(use, receipt(moved(5, 900n)))).toBeUndefined();
  expect(useEvidenceOf({ ...use, nonce: `0x${'11'.repeat(32)}` }, receipt(used, moved(5, 900n)))).toBeUndefined();
  expect(useEvidenceOf({ ...use, payer: WALLET }, receipt(used, moved(5, 900n)))).toBeUndefined();
});

test('a receipt of another transaction, or with logs of one, is not usable', () => {
  const foreign = `0x${'03'.repeat(32)}`;
  for (const wrong of [
    { ...receipt(used), transactionHash: foreign },
    receipt(used, { ...moved(5, 900n), transactionHash: foreign }),
    receipt(used, { ...moved(5, 900n), blockHash: foreign }),
    { ...receipt(used), blockHash: null },
    { ...receipt(used), logs: undefined },
  ]) {
    expect(() => useEvidenceOf(use, wrong)).toThrow(ChainUnavailable);
  }
});
