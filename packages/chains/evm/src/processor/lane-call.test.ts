import type { LaneItem } from '@svc-pay/core';
import { sampleActivation } from '@svc-pay/core/testing';
import { decodeFunctionData, padHex, zeroHash } from 'viem';
import { describe, expect, test } from 'vitest';
import { DIRECT_BATCH_ADDRESS } from '../direct/direct-batch-address.ts';
import { unpackDirectBatch } from '../direct/direct-batch-call.ts';
import { readSingleTransfer } from '../direct/single-transfer.ts';
import { paymentProcessorAbi } from '../generated/payment-processor-abi.ts';
import { laneCall } from './lane-call.ts';

const R = '11'.repeat(32);
const S = '22'.repeat(32);
const item = (change: Partial<LaneItem> = {}): LaneItem => ({
  accountId: 'acct_1' as LaneItem['accountId'],
  mode: 'test',
  paymentId: 'pay_1' as LaneItem['paymentId'],
  intentId: 'pi_1' as LaneItem['intentId'],
  intentCode: 7n,
  number: 1n,
  asset: padHex('0xa1', { size: 20 }),
  processor: padHex('0xb1', { size: 20 }),
  kind: 'transfer_with_authorization',
  byContract: false,
  payer: padHex('0xc1', { size: 20 }),
  capAtomic: 1_000n,
  settledAtomic: 1_000n,
  validAfterSeconds: 5n,
  validBeforeSeconds: 100n,
  nonce: padHex('0x9'),
  signature: `0x${R}${S}01`,
  confirmations: 1,
  payout: { id: 3n, merchant: padHex('0xd1', { size: 20 }), feeBps: 50, splits: [] },
  ...change,
});
const sent = (...items: readonly LaneItem[]) =>
  decodeFunctionData({ abi: paymentProcessorAbi, data: laneCall(items, 200_000n).data });

test('a contract wallet’s signature is carried byte for byte, even where it looks like a key’s', () => {
  const { functionName, args } = sent(item({ byContract: true }));
  expect(functionName).toBe('payWithSignature');
  expect(args.at(-1)).toBe(`0x${R}${S}01`);
  const upto = sent(item({ byContract: true, settledAtomic: 1n, signature: '0xabcdef' }));
  expect([upto.functionName, ...upto.args.slice(-2)]).toEqual(['payWithSignatureUpto', 1n, '0xabcdef']);
});

test('a key’s payment that is too large for a batch goes alone, with its signature spelled for the token', () => {
  const { functionName, args } = sent(item({ validBeforeSeconds: 1n << 70n }));
  expect([functionName, args.at(-1)]).toEqual(['payWithSignature', `0x${R}${S}1c`]);
});

describe('a permit', () => {
  test('carries its nonce as a number, its deadline and its signature in three parts', () => {
    const { functionName, args } = sent(item({ kind: 'permit', settledAtomic: 4n }));
    const permit = { value: 1_000n, nonce: 9n, deadline: 100n, v: 28, r: `0x${R}`, s: `0x${S}` };
    expect(functionName).toBe('payWithPermit');
    expect(args.slice(1)).toMatchObject([7n, 3n, permit, 4n]);
  });
  test('that no key can have signed carries nothing in its place', () => {
    const { args } = sent(item({ kind: 'permit', signature: '0x1234' }));
    expect(args[3]).toMatchObject({ v: 0, r: zeroHash, s: zeroHash });
  });
});

test('a batch is grouped by payout, each payment with its own words', () => {
  const other = { ...item().payout, id: 4n };
  const { functionName, args } = sent(item(), item({ payout: other, intentCode: 8n }), item({ intentCode: 9n }));
  const groups = args[1] as readonly { payoutId: bigint; items: readonly { head: bigint; r: string }[] }[];
  expect(functionName).toBe('settleBatch');
  expect(groups.map(({ payoutId, items }) => [payoutId, items.map(({ head }) => (head >> 32n) & 0xffn)])).toEqual([
    [3n, [7n, 9n]],
    [4n, [8n]],
  ]);
  expect(groups[0]?.items[0]).toMatchObject({ r: `0x${R}`, s: `0x${S}` });
  expect((groups[0]?.items[0]?.head ?? 0n) & 0xffn).toBe(28n);
});

describe('a direct payment', () => {
  const direct = { ...item().payout, feeBps: 0, direct: sampleActivation() };
  const wallet = padHex('0xe1', { size: 20 });
  test('alone is a call of the token itself', () => {
    const one = item({ payout: direct, processor: wallet });
    const { form, to, data } = laneCall([one], 200_000n);
    expect([form, to]).toEqual(['direct_single', one.asset]);
    expect(readSingleTransfer(data)).toMatchObject({ wallet, intentCode: 7n, payoutId: 3n });
  });
  test('with others is a call of the batch contract, grouped by payout, with intent codes and payout ids', () => {
    const other = { payout: { ...direct, id: 4n }, processor: padHex('0xe2', { size: 20 }) };
    const items = [
      item({ payout: direct, processor: wallet }),
      item({ ...other, intentCode: 8n }),
      item({ payout: direct, processor: wallet, intentCode: 9n }),
    ];
    const { form, to, data } = laneCall(items, 123_456n);
    expect([form, to]).toEqual(['direct_batch', DIRECT_BATCH_ADDRESS]);
    expect(unpackDirectBatch(data)).toMatchObject({
      token: item().asset,
      callGas: 123_456n,
      groups: [
        { wallet, payoutId: 3n, items: [{ intentCode: 7n, signature: `0x${R}${S}1c` }, { intentCode: 9n }] },
        { wallet: other.processor, payoutId: 4n, items: [{ intentCode: 8n }] },
      ],
    });
  });
  test('never shares a transaction with one through a processor', () => {
    expect(() => laneCall([item({ payout: direct }), item()], 200_000n)).toThrow(RangeError);
  });
});

test.each<[string, readonly LaneItem[]]>([
  ['nothing', []],
  ['two processors', [item(), item({ processor: padHex('0xb2', { size: 20 }) })]],
  ['two tokens', [item(), item({ asset: padHex('0xa2', { size: 20 }) })]],
  ['two that go alone', [item({ kind: 'permit' }), item()]],
])('%s is no transaction', (_, items) => {
  expect(() => laneCall(items, 200_000n)).toThrow(RangeError);
});
