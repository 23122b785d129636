// RPC calls of a lane. Everything that is not an answer throws `ChainUnavailable`, so that no failure of a node decides
// a payment.
import { ChainUnavailable } from '@svc-pay/core';
import type { JsonRpc, RpcAnswer, RpcCall } from './json-rpc.ts';
import { readQuantity } from './rpc-call.ts';

export async function askChain(rpc: JsonRpc, calls: readonly RpcCall[]): Promise<readonly RpcAnswer[]> {
  let answers: readonly RpcAnswer[];
  try {
    answers = await rpc(calls);
  } catch (problem) {
    throw new ChainUnavailable('no node answered', { cause: problem });
  }
  if (answers.length !== calls.length) throw new ChainUnavailable('answers are missing');
  return answers;
}

/** The result of the call; throws when the node refused it. */
export function resultOf(answer: RpcAnswer | undefined): unknown {
  if (answer?.ok !== true) throw new ChainUnavailable(`the node refused: ${answer?.code ?? 'no answer'}`);
  return answer.result;
}

/** A field of an object; undefined when the node returned something else. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

export function quantityOf(value: unknown): bigint {
  const quantity = readQuantity(value);
  if (quantity === undefined) throw new ChainUnavailable('not a quantity');
  return quantity;
}

/** Timestamp of the returned block, in Unix seconds. */
export function blockTimeOf(answer: RpcAnswer | undefined): bigint {
  return quantityOf(fieldOf(resultOf(answer), 'timestamp'));
}

export const askLatestBlock: RpcCall = { method: 'eth_getBlockByNumber', params: ['latest', false] };
