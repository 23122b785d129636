// Questions whose refusal is a bug or a node that can't serve: then nothing is proven, and it throws.
import type { JsonRpc, RpcAnswer, RpcCall } from '../rpc/json-rpc.ts';

export class NodeRefused extends Error {
  override readonly name = 'NodeRefused';
}

export async function askNode(rpc: JsonRpc, calls: readonly RpcCall[]): Promise<readonly unknown[]> {
  const answers = await rpc(calls);
  return answers.map((answer, index) => resultOf(answer, calls[index]?.method ?? ''));
}

function resultOf(answer: RpcAnswer, method: string): unknown {
  if (answer.ok) return answer.result;
  throw new NodeRefused(`the node refuses ${method}: ${saidBy(answer.message)}`);
}

const MOST_WORDS = 120;

/** A node's own words, short and without an address, which may carry a provider's key. */
export function saidBy(message: string): string {
  return message.replaceAll(/\S*:\/\/\S*/g, '…').slice(0, MOST_WORDS);
}

export function quantityOf(value: unknown): bigint {
  if (typeof value !== 'string' || !/^0x[0-9a-f]+$/i.test(value)) throw new NodeRefused('the node answers no number');
  return BigInt(value);
}

/** Zero where no contract answers. */
export function wordOf(value: unknown): bigint {
  return value === '0x' ? 0n : quantityOf(value);
}

export const hexOf = (value: bigint): string => `0x${value.toString(16)}`;
