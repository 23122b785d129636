// What a transaction offers for its gas. The ceiling is twice the running base fee, so that a few full blocks in a row
// do not strand it; what it really pays is the base fee of its block and the tip.
import { ChainUnavailable } from '@svc-pay/core';
import type { JsonRpc, RpcAnswer } from '../rpc/json-rpc.ts';
import { askChain, askLatestBlock, fieldOf, quantityOf, resultOf } from './ask-chain.ts';

export type TipBounds = { readonly minTipWei: bigint; readonly maxTipWei: bigint };
export type Fees = { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint };

/** From a thousandth of a gwei, which a roll-up takes, to a hundred, past which something is wrong with the node. */
export const DEFAULT_TIP_BOUNDS: TipBounds = { minTipWei: 1_000_000n, maxTipWei: 100_000_000_000n };

export async function readFees(rpc: JsonRpc, bounds: TipBounds): Promise<Fees> {
  const [block, tip] = await askChain(rpc, [askLatestBlock, { method: 'eth_maxPriorityFeePerGas', params: [] }]);
  const baseFee = fieldOf(resultOf(block), 'baseFeePerGas');
  if (baseFee === undefined) throw new ChainUnavailable('the latest block has no base fee');
  return feesOf(quantityOf(baseFee), tipOf(tip), bounds);
}

/** A node without a word on tips: a tenth of the base fee. */
export function feesOf(baseFeeWei: bigint, tipWei: bigint | undefined, { minTipWei, maxTipWei }: TipBounds): Fees {
  const asked = tipWei ?? baseFeeWei / 10n;
  const raised = asked < minTipWei ? minTipWei : asked;
  const tip = raised > maxTipWei ? maxTipWei : raised;
  return { maxFeePerGas: 2n * baseFeeWei + tip, maxPriorityFeePerGas: tip };
}

/** Nodes take a second transaction under a nonce only when it offers clearly more: an eighth, where they ask a tenth. */
export function outbid(fresh: Fees, previous: Fees): Fees {
  const raise = (wei: bigint) => wei + wei / 8n + 1n;
  const more = (one: bigint, other: bigint) => (one > other ? one : other);
  return {
    maxFeePerGas: more(fresh.maxFeePerGas, raise(previous.maxFeePerGas)),
    maxPriorityFeePerGas: more(fresh.maxPriorityFeePerGas, raise(previous.maxPriorityFeePerGas)),
  };
}

function tipOf(answer: RpcAnswer | undefined): bigint | undefined {
  return answer?.ok === true && answer.result !== null ? quantityOf(answer.result) : undefined;
}
