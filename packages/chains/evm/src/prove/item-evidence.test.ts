import type { LaneItem } from '@svc-pay/core';
import { encodeAbiParameters, encodeEventTopics, type Hex, padHex } from 'viem';
import { describe, expect, test } from 'vitest';
import { mockUsdcAbi } from '../generated/mock-usdc-abi.ts';
import { paymentProcessorAbi } from '../generated/payment-processor-abi.ts';
import type { LaneLog } from '../rpc/read-receipt.ts';
import { readEvidence } from './item-evidence.ts';

const address = (digit: string): Hex => padHex(`0x${digit}`, { size: 20 });
const [TOKEN, PROCESSOR, PAYER, OTHER] = [address('a1'), address('b1'), address('c1'), address('d1')];
const item: LaneItem = {
  accountId: 'acct_1' as LaneItem['accountId'],
  mode: 'test',
  paymentId: 'pay_1' as LaneItem['paymentId'],
  intentId: 'pi_1' as LaneItem['intentId'],
  intentCode: 7n,
  number: 1n,
  asset: TOKEN,
  processor: PROCESSOR,
  kind: 'transfer_with_authorization',
  byContract: false,
  payer: PAYER,
  capAtomic: 1_000n,
  settledAtomic: 400n,
  validAfterSeconds: 0n,
  validBeforeSeconds: 100n,
  nonce: padHex('0x1'),
  signature: `0x${'11'.repeat(65)}`,
  confirmations: 1,
  payout: { id: 3n, merchant: address('e1'), feeBps: 50, splits: [] },
};

type SettleResult = {
  code?: bigint;
  payer?: Hex;
  token?: Hex;
  payout?: bigint;
  cap?: bigint;
  settled?: bigint;
  fee?: bigint;
  at?: Hex;
};
const uints = (...values: bigint[]) =>
  encodeAbiParameters(
    values.map(() => ({ type: 'uint256' })),
    values,
  );
const settled = ({ at = PROCESSOR, ...change }: SettleResult = {}): Omit<LaneLog, 'logIndex'> => ({
  address: at,
  topics: encodeEventTopics({
    abi: paymentProcessorAbi,
    eventName: 'PaymentSettled',
    args: { intentCode: change.code ?? 7n, payer: change.payer ?? PAYER, token: change.token ?? TOKEN },
  }) as Hex[],
  data: uints(change.payout ?? 3n, change.cap ?? 1_000n, change.settled ?? 400n, change.fee ?? 2n),
});
const failed = (code: number, at: Hex = PROCESSOR): Omit<LaneLog, 'logIndex'> => ({
  address: at,
  topics: encodeEventTopics({
    abi: paymentProcessorAbi,
    eventName: 'PaymentFailed',
    args: { intentCode: 7n, payer: PAYER },
  }) as Hex[],
  data: encodeAbiParameters([{ type: 'uint8' }, { type: 'bytes' }], [code, '0xabcd']),
});
const pulled = (
  value = 1_000n,
  from: Hex = PAYER,
  to: Hex = PROCESSOR,
  at: Hex = TOKEN,
): Omit<LaneLog, 'logIndex'> => ({
  address: at,
  topics: encodeEventTopics({ abi: mockUsdcAbi, eventName: 'Transfer', args: { from, to } }) as Hex[],
  data: uints(value),
});
const approval: Omit<LaneLog, 'logIndex'> = {
  address: TOKEN,
  topics: encodeEventTopics({
    abi: mockUsdcAbi,
    eventName: 'Approval',
    args: { owner: PAYER, spender: PROCESSOR },
  }) as Hex[],
  data: uints(0n),
};
const judge = (logs: readonly Omit<LaneLog, 'logIndex'>[], ...items: readonly LaneItem[]) =>
  readEvidence(
    items.length === 0 ? [item] : items,
    logs.map((log, index) => ({ ...log, logIndex: 10 + index })),
  );
const outcome = (logs: readonly Omit<LaneLog, 'logIndex'>[], ...items: readonly LaneItem[]) =>
  judge(logs, ...items).map((evidence) => evidence.outcome);

test('the processor’s event directly after the token’s transfer settles, and both are named', () => {
  expect(judge([pulled(), settled()])).toEqual([
    { outcome: 'settled', logIndex: 11, transferLogIndex: 10, feeAtomic: 2n },
  ]);
});

describe('no evidence', () => {
  test.each<[string, readonly Omit<LaneLog, 'logIndex'>[]]>([
    ['no logs', []],
    ['an event without a transfer', [settled()]],
    ['a transfer without an event', [pulled()]],
    ['a transfer after the event', [settled(), pulled()]],
    ['another contract’s event', [pulled(), settled({ at: OTHER })]],
    ['another contract’s transfer', [pulled(1_000n, PAYER, PROCESSOR, OTHER), settled()]],
    ['another payer’s transfer', [pulled(1_000n, OTHER), settled()]],
    ['a transfer to someone else', [pulled(1_000n, PAYER, OTHER), settled()]],
    ['a transfer of less', [pulled(999n), settled()]],
    ['a transfer that is not the token’s last word', [pulled(), pulled(1n, OTHER), settled()]],
    ['another code', [pulled(), settled({ code: 8n })]],
    ['another payer', [pulled(), settled({ payer: OTHER })]],
    ['another token', [pulled(), settled({ token: OTHER })]],
    ['another payout', [pulled(), settled({ payout: 4n })]],
    ['another cap', [pulled(), settled({ cap: 1_001n })]],
    ['another fee than its terms say', [pulled(), settled({ fee: 3n })]],
    ['another settled amount', [pulled(), settled({ settled: 401n })]],
    ['a transfer that another payment used', [pulled(), settled({ code: 9n }), settled()]],
    ['another contract’s failure', [failed(5, OTHER)]],
    ['a failure of unknown code', [failed(99)]],
    ['an allowance’s report after an authorization’s transfer', [pulled(), approval, settled()]],
  ])('%s', (_, logs) => {
    expect(outcome(logs)).toEqual(['no_evidence']);
  });
});

test('logs of other contracts in between change nothing', () => {
  const noise = { address: OTHER, topics: [], data: '0x' } as const;
  expect(outcome([noise, pulled(), noise, settled(), noise])).toEqual(['settled']);
});

test('a permit’s transfer may be followed by what is left of the allowance', () => {
  expect(outcome([approval, pulled(), approval, settled()], { ...item, kind: 'permit' })).toEqual(['settled']);
});

test('a failure has the code that the processor gave it', () => {
  expect(outcome([failed(9)])).toEqual(['insufficient_funds']);
});

test('one event speaks for one payment: the first takes it, its twin is told its own', () => {
  expect(outcome([pulled(), settled()], item, item)).toEqual(['settled', 'no_evidence']);
  expect(outcome([pulled(), settled(), failed(3)], item, item)).toEqual(['settled', 'intent_already_settled']);
});

test('capitals in stored addresses make no difference', () => {
  const upper = (hex: string) => `0x${hex.slice(2).toUpperCase()}`;
  const shouted = { ...item, payer: upper(PAYER), asset: upper(TOKEN), processor: upper(PROCESSOR) };
  expect(outcome([pulled(), settled()], shouted)).toEqual(['settled']);
});
