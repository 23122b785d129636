import type { LaneItem } from '@svc-pay/core';
import { encodeAbiParameters, encodeEventTopics, type Hex, padHex } from 'viem';
import { expect, test } from 'vitest';
import { mockUsdcAbi } from '../generated/mock-usdc-abi.ts';
import { paymentProcessorAbi } from '../generated/payment-processor-abi.ts';
import type { LaneLog } from '../rpc/read-receipt.ts';
import type { ItemEvidence } from './item-evidence.ts';
import { replayLegs } from './replay-legs.ts';

const address = (digit: string): Hex => padHex(`0x${digit}`, { size: 20 });
const [TOKEN, PROCESSOR, PAYER, MERCHANT, SPLIT, FEES] = ['a1', 'b1', 'c1', 'd1', 'e1', 'f1'].map(address) as [
  Hex,
  Hex,
  Hex,
  Hex,
  Hex,
  Hex,
];
const item = (change: Partial<LaneItem> = {}): LaneItem => ({
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
  signature: `0x${'11'.repeat(64)}1b`,
  confirmations: 1,
  payout: { id: 3n, merchant: MERCHANT, feeBps: 50, splits: [{ to: SPLIT, bps: 1_000 }] },
  ...change,
});
const settled: ItemEvidence = { outcome: 'settled', logIndex: 0, transferLogIndex: 0, feeAtomic: 2n };
const log = (at: Hex, topics: unknown, amount: bigint): LaneLog => ({
  address: at,
  topics: topics as Hex[],
  data: encodeAbiParameters([{ type: 'uint256' }], [amount]),
  logIndex: 0,
});
const paid = (to: Hex, amount: bigint, from: Hex = PROCESSOR) =>
  log(TOKEN, encodeEventTopics({ abi: mockUsdcAbi, eventName: 'Transfer', args: { from, to } }), amount);
const kept = (account: Hex, amount: bigint, at: Hex = PROCESSOR) =>
  log(
    at,
    encodeEventTopics({ abi: paymentProcessorAbi, eventName: 'Escrowed', args: { token: TOKEN, account } }),
    amount,
  );
const pulled = paid(PROCESSOR, 1_000n, PAYER);

test('a batch pays refunds, then splits and merchant, then the fee', () => {
  const logs = [pulled, kept(PAYER, 600n), paid(SPLIT, 40n), kept(MERCHANT, 358n), paid(FEES, 2n)];
  expect(replayLegs([item()], [settled], logs)).toEqual({ escrowedFor: [[PAYER, MERCHANT]], feeRecipient: FEES });
});

test('a payment on its own gives the rest back last', () => {
  const alone = item({ byContract: true });
  const logs = [pulled, kept(SPLIT, 40n), paid(MERCHANT, 358n), kept(FEES, 2n), kept(PAYER, 600n)];
  expect(replayLegs([alone], [settled], logs)).toEqual({ escrowedFor: [[SPLIT, FEES, PAYER]], feeRecipient: FEES });
});

test('sums are over what settled only, and touch no payment that did not', () => {
  const items = [item(), item(), item()];
  const pulls = [pulled, paid(PAYER, 600n), pulled, kept(PAYER, 600n)];
  const logs = [...pulls, kept(SPLIT, 80n), paid(MERCHANT, 716n), paid(FEES, 4n)];
  const { escrowedFor } = replayLegs(items, [settled, { outcome: 'expired' }, settled], logs);
  expect(escrowedFor).toEqual([[SPLIT], [], [PAYER, SPLIT]]);
});

test('what another contract says to be kept is not believed', () => {
  const logs = [
    pulled,
    paid(PAYER, 600n),
    kept(SPLIT, 40n, FEES),
    paid(SPLIT, 40n),
    paid(MERCHANT, 358n),
    paid(FEES, 2n),
  ];
  expect(replayLegs([item()], [settled], logs).escrowedFor).toEqual([[]]);
});

test('without a fee the logs name nobody who gets it', () => {
  const free = item({ payout: { id: 3n, merchant: MERCHANT, feeBps: 0, splits: [] } });
  const logs = [pulled, paid(PAYER, 600n), paid(MERCHANT, 400n)];
  expect(replayLegs([free], [{ ...settled, feeAtomic: 0n }], logs).feeRecipient).toBeUndefined();
});
