import type { LaneItem } from '@svc-pay/core';
import { sampleActivation } from '@svc-pay/core/testing';
import { encodeAbiParameters, encodeEventTopics, type Hex, padHex } from 'viem';
import { describe, expect, test } from 'vitest';
import { DIRECT_BATCH_ADDRESS } from '../direct/direct-batch-address.ts';
import { directBatchAbi } from '../generated/direct-batch-abi.ts';
import { mockUsdcAbi } from '../generated/mock-usdc-abi.ts';
import type { LaneLog } from '../rpc/read-receipt.ts';
import { readDirectEvidence } from './direct-evidence.ts';

const address = (digit: string): Hex => padHex(`0x${digit}`, { size: 20 });
const [TOKEN, WALLET, PAYER, OTHER] = [address('a1'), address('b1'), address('c1'), address('d1')];
const item: LaneItem = {
  accountId: 'acct_1' as LaneItem['accountId'],
  mode: 'test',
  paymentId: 'pay_1' as LaneItem['paymentId'],
  intentId: 'pi_1' as LaneItem['intentId'],
  intentCode: 7n,
  number: 1n,
  asset: TOKEN,
  processor: WALLET,
  kind: 'transfer_with_authorization',
  byContract: false,
  payer: PAYER,
  capAtomic: 1_000n,
  settledAtomic: 1_000n,
  validAfterSeconds: 0n,
  validBeforeSeconds: 100n,
  nonce: padHex('0x1'),
  signature: `0x${'11'.repeat(65)}`,
  confirmations: 1,
  payout: { id: 3n, merchant: WALLET, feeBps: 0, splits: [], direct: sampleActivation() },
};
const second: LaneItem = { ...item, nonce: padHex('0x2') };

type Log = Omit<LaneLog, 'logIndex'>;
const used = (nonce = item.nonce, payer: Hex = PAYER, at: Hex = TOKEN): Log => ({
  address: at,
  topics: encodeEventTopics({
    abi: mockUsdcAbi,
    eventName: 'AuthorizationUsed',
    args: { authorizer: payer, nonce: nonce as Hex },
  }) as Hex[],
  data: '0x',
});
const canceled = (): Log => ({
  ...used(),
  topics: encodeEventTopics({
    abi: mockUsdcAbi,
    eventName: 'AuthorizationCanceled',
    args: { authorizer: PAYER, nonce: item.nonce as Hex },
  }) as Hex[],
});
const moved = ({ from = PAYER, to = WALLET, value = 1_000n, at = TOKEN } = {}): Log => ({
  address: at,
  topics: encodeEventTopics({ abi: mockUsdcAbi, eventName: 'Transfer', args: { from, to } }) as Hex[],
  data: encodeAbiParameters([{ type: 'uint256' }], [value]),
});
const refused = (index: bigint, code: number, at: Hex = DIRECT_BATCH_ADDRESS.toLowerCase() as Hex): Log => ({
  address: at,
  topics: encodeEventTopics({ abi: directBatchAbi, eventName: 'ItemRefused' }) as Hex[],
  data: encodeAbiParameters([{ type: 'uint256' }, { type: 'uint8' }], [index, code]),
});

const read = (items: readonly LaneItem[], ...logs: readonly Log[]) =>
  readDirectEvidence(
    items,
    logs.map((log, index) => ({ ...log, logIndex: 10 + index })),
  ).map((evidence) => (evidence.outcome === 'settled' ? evidence.transferLogIndex : evidence.outcome));

test('a use and, as the token’s next log, the transfer of exactly the value to the wallet complete a payment', () => {
  const logs = [used(), moved()].map((log, index) => ({ ...log, logIndex: 10 + index }));
  expect(readDirectEvidence([item], logs)).toEqual([
    { outcome: 'settled', logIndex: 11, transferLogIndex: 11, feeAtomic: 0n },
  ]);
});

test('logs of other contracts between the two change nothing', () => {
  expect(read([item], used(), moved({ at: OTHER }), used(item.nonce, PAYER, OTHER), moved())).toEqual([13]);
});

describe('a transfer does not count', () => {
  test.each<[string, readonly Log[]]>([
    ['to another wallet', [used(), moved({ to: OTHER })]],
    ['of another payer', [used(), moved({ from: OTHER })]],
    ['of less, as from a token that takes a fee', [used(), moved({ value: 990n }), moved({ to: OTHER, value: 10n })]],
    ['of more', [used(), moved({ value: 1_001n })]],
    ['of another token', [used(), moved({ at: OTHER })]],
    ['before the use', [moved(), used()]],
    ['after another log of the token', [used(), moved({ to: OTHER, value: 1n }), moved()]],
  ])('%s', (_, logs) => {
    expect(read([item], ...logs)).toEqual(['authorization_used']);
  });
});

describe('a use does not count', () => {
  test.each<[string, readonly Log[]]>([
    ['of another token', [used(item.nonce, PAYER, OTHER), moved()]],
    ['of another payer', [used(item.nonce, OTHER), moved()]],
    ['of another nonce', [used(second.nonce), moved()]],
    ['that is a cancellation', [canceled(), moved()]],
    ['that is missing, as of a token that does not revert for a used nonce', [moved()]],
  ])('%s', (_, logs) => {
    expect(read([item], ...logs)).toEqual(['no_evidence']);
  });
});

describe('two payments never share a transfer', () => {
  test('each has its own', () => {
    expect(read([item, second], used(), moved(), used(second.nonce), moved())).toEqual([11, 13]);
    expect(read([second, item], used(), moved(), used(second.nonce), moved())).toEqual([13, 11]);
  });
  test('one transfer before the second use', () => {
    expect(read([item, second], used(), moved(), used(second.nonce))).toEqual([11, 'authorization_used']);
  });
  test('one transfer after both uses', () => {
    expect(read([item, second], used(), used(second.nonce), moved())).toEqual(['authorization_used', 12]);
  });
  test('one authorization for two payments', () => {
    expect(read([item, { ...item, intentCode: 8n }], used(), moved())).toEqual([11, 'authorization_used']);
  });
});

describe('what the batch contract says of an item', () => {
  const elsewhere: LaneItem = { ...second, payout: { ...item.payout, id: 4n } };
  const third: LaneItem = { ...item, nonce: padHex('0x3') };
  test('names the reason of a refusal, counted in the order of payouts', () => {
    // The payments of payout 3 go first: `third` is the second item of the call, `elsewhere` the third.
    const outcomes = read([item, elsewhere, third], used(), moved(), refused(1n, 9), refused(2n, 8));
    expect(outcomes).toEqual([11, 'authorization_used', 'insufficient_funds']);
  });
  test('counts for nothing against the token’s logs, from another contract, or with a code that is no refusal', () => {
    expect(read([item], refused(0n, 10), used(), moved())).toEqual([12]);
    expect(read([item], refused(0n, 10, OTHER))).toEqual(['no_evidence']);
    expect(read([item], refused(0n, 0))).toEqual(['no_evidence']);
    expect(read([item], refused(7n, 10))).toEqual(['no_evidence']);
  });
});
