import { ChainUnavailable } from '@svc-pay/core';
import { expect, test } from 'vitest';
import type { JsonRpc, RpcAnswer } from '../rpc/json-rpc.ts';
import { DEFAULT_MAX_FEE_WEI, DEFAULT_TIP_BOUNDS, feesOf, outbid, readFees, stillGood } from './transaction-fees.ts';

const GWEI = 1_000_000_000n;
const bounds = { minTipWei: 10n, maxTipWei: 100n, maxFeeWei: 10_000n };
const DEFAULTS = { ...DEFAULT_TIP_BOUNDS, maxFeeWei: DEFAULT_MAX_FEE_WEI };
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
  const fees = await readFees(node({ baseFeePerGas: '0x3b9aca00' }, refused), DEFAULTS);
  expect(fees).toEqual({ maxFeePerGas: 2n * GWEI + GWEI / 10n, maxPriorityFeePerGas: GWEI / 10n });
});

test('a block without a base fee, or nonsense for one, concludes nothing', async () => {
  const tip: RpcAnswer = { ok: true, result: '0x1' };
  for (const block of [null, {}, { baseFeePerGas: 'soon' }]) {
    await expect(readFees(node(block, tip), DEFAULTS)).rejects.toBeInstanceOf(ChainUnavailable);
  }
});

test('a replacement offers an eighth more on both, and no less than the chain asks now', () => {
  const previous = { maxFeePerGas: 800n, maxPriorityFeePerGas: 80n };
  expect(outbid({ maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }, previous, bounds)).toEqual({
    maxFeePerGas: 901n,
    maxPriorityFeePerGas: 91n,
  });
  const dear = { maxFeePerGas: 5_000n, maxPriorityFeePerGas: 500n };
  expect(outbid(dear, previous, bounds)).toEqual(dear);
});

test('nothing offers more than its ceiling: a first offer is cut to it, a replacement past it is not made', () => {
  expect(feesOf(9_000n, 50n, bounds)).toEqual({ maxFeePerGas: 10_000n, maxPriorityFeePerGas: 50n });
  expect(feesOf(1n, 50n, { ...bounds, maxFeeWei: 20n })).toEqual({ maxFeePerGas: 20n, maxPriorityFeePerGas: 20n });
  const fresh = { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n };
  expect(outbid(fresh, { maxFeePerGas: 9_000n, maxPriorityFeePerGas: 10n }, bounds)).toBeUndefined();
  expect(outbid(fresh, { maxFeePerGas: 100n, maxPriorityFeePerGas: 95n }, bounds)).toBeUndefined();
});

test('an offer behind another is good until the base fee has outgrown it', () => {
  const offer = { maxFeePerGas: 1_000n, maxPriorityFeePerGas: 10n };
  expect(stillGood(offer, feesOf(990n, 10n, bounds))).toBe(true);
  expect(stillGood(offer, feesOf(1_010n, 10n, bounds))).toBe(false);
});
