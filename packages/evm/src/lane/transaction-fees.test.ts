import { ChainUnavailable } from '@svc-pay/core';
import { expect, test } from 'vitest';
import type { JsonRpc, RpcAnswer } from '../rpc/json-rpc.ts';
import { DEFAULT_TIP_BOUNDS, feesOf, outbid, readFees } from './transaction-fees.ts';

const GWEI = 1_000_000_000n;
const bounds = { minTipWei: 10n, maxTipWei: 100n };
const node =
  (block: unknown, tip: RpcAnswer): JsonRpc =>
  async () => [{ ok: true, result: block }, tip];

test('the ceiling is twice the base fee and the tip, so a few full blocks do not strand it', () => {
  expect(feesOf(1_000n, 50n, bounds)).toEqual({ maxFeePerGas: 2_050n, maxPriorityFeePerGas: 50n });
});

test('a tip stays within its bounds, whatever the node says', () => {
  expect(feesOf(0n, 0n, bounds).maxPriorityFeePerGas).toBe(10n);
  expect(feesOf(0n, 10n ** 30n, bounds).maxPriorityFeePerGas).toBe(100n);
});

test('a node without a word on tips gets a tenth of the base fee', async () => {
  const refused: RpcAnswer = { ok: false, code: -32_601, message: 'the method does not exist', data: null };
  const fees = await readFees(node({ baseFeePerGas: '0x3b9aca00' }, refused), DEFAULT_TIP_BOUNDS);
  expect(fees).toEqual({ maxFeePerGas: 2n * GWEI + GWEI / 10n, maxPriorityFeePerGas: GWEI / 10n });
});

test('a block without a base fee, or nonsense for one, concludes nothing', async () => {
  const tip: RpcAnswer = { ok: true, result: '0x1' };
  for (const block of [null, {}, { baseFeePerGas: 'soon' }]) {
    await expect(readFees(node(block, tip), DEFAULT_TIP_BOUNDS)).rejects.toBeInstanceOf(ChainUnavailable);
  }
});

test('a replacement offers an eighth more on both, and no less than the chain asks now', () => {
  const previous = { maxFeePerGas: 800n, maxPriorityFeePerGas: 80n };
  expect(outbid({ maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }, previous)).toEqual({
    maxFeePerGas: 901n,
    maxPriorityFeePerGas: 91n,
  });
  const dear = { maxFeePerGas: 5_000n, maxPriorityFeePerGas: 500n };
  expect(outbid(dear, previous)).toEqual(dear);
});
