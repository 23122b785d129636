// A call that a node plays against its latest block without sending it.
import { ChainUnavailable } from '@svc-pay/core';
import { type Address, numberToHex } from 'viem';
import type { LaneCall } from '../processor/lane-call.ts';
import type { JsonRpc, RpcAnswer, RpcCall } from '../rpc/json-rpc.ts';
import { isRevert } from '../rpc/read-revert.ts';
import type { FeeBounds, Fees } from './transaction-fees.ts';

export type Stage = {
  readonly rpc: JsonRpc;
  readonly relayer: Address;
  readonly callGas: bigint;
  /** Fee bounds of the transaction: a single payment is simulated with its gas price. */
  readonly feeBounds?: FeeBounds;
};

/** The same call, sender and gas as the transaction has. */
export function askPlay({ relayer }: Pick<Stage, 'relayer'>, { to, data, gas }: LaneCall, fees?: Fees): RpcCall {
  const price = fees && {
    maxFeePerGas: numberToHex(fees.maxFeePerGas),
    maxPriorityFeePerGas: numberToHex(fees.maxPriorityFeePerGas),
  };
  return { method: 'eth_call', params: [{ from: relayer, to, data, gas: numberToHex(gas), ...price }, 'latest'] };
}

/** The answer of a call that passed or reverted; throws when the node could not play it. */
export function playOf(answer: RpcAnswer | undefined): RpcAnswer {
  if (answer === undefined) throw new ChainUnavailable('answers are missing');
  if (!answer.ok && !isRevert(answer)) throw new ChainUnavailable(`the node refused: ${answer.code}`);
  return answer;
}
