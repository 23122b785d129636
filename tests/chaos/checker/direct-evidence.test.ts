import { keccak256, stringToHex } from 'viem';
import { expect, test } from 'vitest';
import { readDirectLogs } from './direct-evidence.ts';

const USED = keccak256(stringToHex('AuthorizationUsed(address,bytes32)'));
const TRANSFER = keccak256(stringToHex('Transfer(address,address,uint256)'));
const [payer, other, wallet] = ['aa', 'bb', 'cc'].map((byte) => `0x${byte.repeat(20)}`) as [string, string, string];
const topicOf = (address: string) => `0x${address.slice(2).padStart(64, '0')}`;
const NONCE = `0x${'11'.repeat(32)}`;

const at = (logIndex: number, transactionHash = '0x01') => ({
  transactionHash,
  logIndex: `0x${logIndex.toString(16)}`,
  blockNumber: '0x2a',
});
const use = (from: string, index: number, transaction?: string) => ({
  topics: [USED, topicOf(from), NONCE],
  data: '0x',
  ...at(index, transaction),
});
const transfer = (from: string, to: string, index: number, transaction?: string) => ({
  topics: [TRANSFER, topicOf(from), topicOf(to)],
  data: `0x${(500).toString(16).padStart(64, '0')}`,
  ...at(index, transaction),
});
const read = (...logs: Parameters<typeof readDirectLogs>[0]) => readDirectLogs(logs, new Set([wallet]));

test('a use and its transfer, the next log of the token, are a direct payment at the place of the transfer', () => {
  expect(read(use(payer, 10), transfer(payer, wallet, 12))).toEqual([
    { payer, nonce: NONCE, wallet, value: 500n, transaction: '0x01', logIndex: 12, blockNumber: 42 },
  ]);
});

test('a transfer that is of another payer, to another wallet, of another transaction, or not the next log is none', () => {
  expect(read(use(payer, 1), transfer(other, wallet, 2))).toEqual([]);
  expect(read(use(payer, 1), transfer(payer, other, 2))).toEqual([]);
  expect(read(use(payer, 1), transfer(payer, wallet, 2, '0x02'))).toEqual([]);
  expect(read(use(payer, 1), use(payer, 2), transfer(payer, wallet, 3))).toHaveLength(1);
  expect(read(transfer(payer, wallet, 1))).toEqual([]);
});
