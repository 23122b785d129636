// Fees of a transaction. The fee cap is twice the current base fee, so that a few full blocks in a row do not leave the
// transaction stuck; the price actually paid is the base fee of its block plus the tip.
import { ChainUnavailable } from '@svc-pay/core';
import { askChain, askLatestBlock, blockTimeOf, fieldOf, quantityOf, resultOf } from '../rpc/ask-chain.ts';
import type { JsonRpc, RpcAnswer } from '../rpc/json-rpc.ts';

export type TipBounds = { readonly minTipWei: bigint; readonly maxTipWei: bigint };
/** `maxFeeWei`: the highest fee per unit of gas, tip included. */
export type FeeBounds = TipBounds & { readonly maxFeeWei: bigint };
export type Fees = { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint };

/** From 0.001 gwei, which rollups accept, to 100 gwei: a node that asks for more is wrong. */
export const DEFAULT_TIP_BOUNDS: TipBounds = { minTipWei: 1_000_000n, maxTipWei: 100_000_000_000n };
/** 500 gwei. */
export const DEFAULT_MAX_FEE_WEI = 500_000_000_000n;

export async function readFees(rpc: JsonRpc, bounds: FeeBounds): Promise<Fees> {
  return (await askFees(rpc, bounds)).fees;
}

/** Fees by the latest block, and that block's timestamp. */
export async function readOfferedFees(
  rpc: JsonRpc,
  bounds: FeeBounds,
): Promise<{ readonly fees: Fees; readonly blockTimeSeconds: bigint }> {
  const { fees, block } = await askFees(rpc, bounds);
  return { fees, blockTimeSeconds: blockTimeOf(block) };
}

async function askFees(rpc: JsonRpc, bounds: FeeBounds) {
  const [block, tip] = await askChain(rpc, [askLatestBlock, { method: 'eth_maxPriorityFeePerGas', params: [] }]);
  const baseFee = fieldOf(resultOf(block), 'baseFeePerGas');
  if (baseFee === undefined) throw new ChainUnavailable('the latest block has no base fee');
  return { fees: feesOf(quantityOf(baseFee), tipOf(tip), bounds), block };
}

/** `tipWei` is undefined when the node suggests no tip: then a tenth of the base fee is used. */
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
 * Nodes accept a second transaction under a nonce only for a clearly higher fee: they require a tenth more, this offers
 * an eighth. Undefined when that exceeds the bounds.
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

/** A batch behind another one needs no fee bump while its fee cap covers the current base fee and tip. */
export function stillGood(previous: Fees, fresh: Fees): boolean {
  return 2n * previous.maxFeePerGas >= fresh.maxFeePerGas;
}

const lesser = (one: bigint, other: bigint) => (one < other ? one : other);
const greater = (one: bigint, other: bigint) => (one > other ? one : other);

function tipOf(answer: RpcAnswer | undefined): bigint | undefined {
  return answer?.ok === true && answer.result !== null ? quantityOf(answer.result) : undefined;
}
