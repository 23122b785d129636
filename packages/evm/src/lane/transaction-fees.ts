// What a transaction offers for its gas. The ceiling is twice the running base fee, so that a few full blocks in a row
// do not strand it; what it really pays is the base fee of its block and the tip.
import { ChainUnavailable } from '@svc-pay/core';
import type { JsonRpc, RpcAnswer } from '../rpc/json-rpc.ts';
import { askChain, askLatestBlock, fieldOf, quantityOf, resultOf } from './ask-chain.ts';

export type TipBounds = { readonly minTipWei: bigint; readonly maxTipWei: bigint };
/** The most that a unit of gas may cost, tip included. */
export type FeeBounds = TipBounds & { readonly maxFeeWei: bigint };
export type Fees = { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint };

/** From a thousandth of a gwei, which a roll-up takes, to a hundred, past which something is wrong with the node. */
export const DEFAULT_TIP_BOUNDS: TipBounds = { minTipWei: 1_000_000n, maxTipWei: 100_000_000_000n };
/** 500 gwei. */
export const DEFAULT_MAX_FEE_WEI = 500_000_000_000n;

export async function readFees(rpc: JsonRpc, bounds: FeeBounds): Promise<Fees> {
  const [block, tip] = await askChain(rpc, [askLatestBlock, { method: 'eth_maxPriorityFeePerGas', params: [] }]);
  const baseFee = fieldOf(resultOf(block), 'baseFeePerGas');
  if (baseFee === undefined) throw new ChainUnavailable('the latest block has no base fee');
  return feesOf(quantityOf(baseFee), tipOf(tip), bounds);
}

/** A node without a word on tips: a tenth of the base fee. */
export function feesOf(
  baseFeeWei: bigint,
  tipWei: bigint | undefined,
  { minTipWei, maxTipWei, maxFeeWei }: FeeBounds,
): Fees {
  const asked = tipWei ?? baseFeeWei / 10n;
  const tip = lesser(greater(asked, minTipWei), maxTipWei);
  const maxFeePerGas = lesser(2n * baseFeeWei + tip, maxFeeWei);
  return { maxFeePerGas, maxPriorityFeePerGas: lesser(tip, maxFeePerGas) };
}

/**
 * Nodes take a second transaction under a nonce only when it offers clearly more: an eighth, where they ask a tenth.
 * Undefined when that is more than it may cost.
 */
export function outbid(fresh: Fees, previous: Fees, { maxTipWei, maxFeeWei }: FeeBounds): Fees | undefined {
  const raise = (wei: bigint) => wei + wei / 8n + 1n;
  const leastFee = raise(previous.maxFeePerGas);
  const leastTip = raise(previous.maxPriorityFeePerGas);
  if (leastFee > maxFeeWei || leastTip > maxTipWei) return undefined;
  return {
    maxFeePerGas: greater(fresh.maxFeePerGas, leastFee),
    maxPriorityFeePerGas: greater(fresh.maxPriorityFeePerGas, leastTip),
  };
}

/** What stands behind another one needs no more while its offer covers today's base fee and tip. */
export function stillGood(previous: Fees, fresh: Fees): boolean {
  return 2n * previous.maxFeePerGas >= fresh.maxFeePerGas;
}

const lesser = (one: bigint, other: bigint) => (one < other ? one : other);
const greater = (one: bigint, other: bigint) => (one > other ? one : other);

function tipOf(answer: RpcAnswer | undefined): bigint | undefined {
  return answer?.ok === true && answer.result !== null ? quantityOf(answer.result) : undefined;
}
