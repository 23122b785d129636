// The lane's questions to its nodes. Whatever is not an answer throws `ChainUnavailable`, so that nothing is concluded
// from a node's trouble.
import { ChainUnavailable } from '@svc-pay/core';
import type { JsonRpc, RpcAnswer, RpcCall } from '../rpc/json-rpc.ts';

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

/** What the node answered; it throws when the node refused to. */
export function resultOf(answer: RpcAnswer | undefined): unknown {
  if (answer?.ok !== true) throw new ChainUnavailable(`the node refused: ${answer?.code ?? 'no answer'}`);
  return answer.result;
}

/** A record's own field, whatever the node sent in its place. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

export function quantityOf(value: unknown): bigint {
  if (typeof value !== 'string' || !/^0x[0-9a-f]+$/i.test(value)) throw new ChainUnavailable('not a quantity');
  return BigInt(value);
}

/** Time of a block that was asked for, in Unix seconds. */
export function blockTimeOf(answer: RpcAnswer | undefined): bigint {
  return quantityOf(fieldOf(resultOf(answer), 'timestamp'));
}

export const askLatestBlock: RpcCall = { method: 'eth_getBlockByNumber', params: ['latest', false] };
