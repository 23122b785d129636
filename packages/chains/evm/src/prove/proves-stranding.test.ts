import { numberToHex, pad, toEventSelector } from 'viem';
import { expect, test } from 'vitest';
import { type DirectSubmission, provesStranding, type ReceiptLog } from './proves-stranding.ts';

const token = '0x1000000000000000000000000000000000000001';
const processor = '0x2000000000000000000000000000000000000002';
const from = '0x3000000000000000000000000000000000000003';
const other = '0x4000000000000000000000000000000000000004';
const nonce = `0x${'ab'.repeat(32)}` as const;
const submission: DirectSubmission = { token, processor, from, nonce, valueAtomic: 500n };

const used: ReceiptLog = {
  address: token,
  topics: [toEventSelector('AuthorizationUsed(address,bytes32)'), pad(from), nonce],
  data: '0x',
};
const transfer = (to: `0x${string}`, value: bigint, payer: `0x${string}` = from): ReceiptLog => ({
  address: token,
  topics: [toEventSelector('Transfer(address,address,uint256)'), pad(payer), pad(to)],
  data: numberToHex(value, { size: 32 }),
});
const settled: ReceiptLog = {
  address: processor,
  topics: [toEventSelector('PaymentSettled(uint64,address,address,uint64,uint256,uint256,uint256)')],
  data: '0x',
};
const canceled: ReceiptLog = {
  ...used,
  topics: [toEventSelector('AuthorizationCanceled(address,bytes32)'), pad(from), nonce],
};

test('a direct submission is proven by the use and the transfer that follows it', () => {
  expect(provesStranding([used, transfer(processor, 500n)], submission)).toBe(true);
});

test('logs of other contracts in between and around change nothing', () => {
  const noise: ReceiptLog = { address: other, topics: [], data: '0x' };
  expect(provesStranding([noise, used, noise, transfer(processor, 500n), noise], submission)).toBe(true);
});

test('a settlement is no stranding', () => {
  expect(provesStranding([used, transfer(processor, 500n), settled], submission)).toBe(false);
});

test('a nonce burned by a second authorization proves nothing, even beside a real transfer', () => {
  const logs = [used, transfer(from, 0n), transfer(processor, 500n)];
  expect(provesStranding(logs, submission)).toBe(false);
});

test('a nonce burned by canceling proves nothing, even beside a real transfer', () => {
  expect(provesStranding([canceled, transfer(processor, 500n)], submission)).toBe(false);
});

test('a use that another contract tells proves nothing, even before a real transfer', () => {
  expect(provesStranding([{ ...used, address: other }, transfer(processor, 500n)], submission)).toBe(false);
});

test('a transfer that another contract tells proves nothing', () => {
  expect(provesStranding([used, { ...transfer(processor, 500n), address: other }], submission)).toBe(false);
});

test('another value, payer, receiver, nonce or token proves nothing', () => {
  expect(provesStranding([used, transfer(processor, 499n)], submission)).toBe(false);
  expect(provesStranding([used, transfer(processor, 500n, other)], submission)).toBe(false);
  expect(provesStranding([used, transfer(other, 500n)], submission)).toBe(false);
  expect(provesStranding([used, transfer(processor, 500n)], { ...submission, nonce: `0x${'cd'.repeat(32)}` })).toBe(
    false,
  );
  expect(provesStranding([used, transfer(processor, 500n)], { ...submission, token: other })).toBe(false);
});

test('a use without any transfer proves nothing', () => {
  expect(provesStranding([used], submission)).toBe(false);
  expect(provesStranding([], submission)).toBe(false);
});
