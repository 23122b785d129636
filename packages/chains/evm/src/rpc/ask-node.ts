// RPC calls whose refusal means a bug or an unsuitable node: nothing is proven then, and the call throws.
import type { JsonRpc, RpcAnswer, RpcCall } from './json-rpc.ts';
import { readQuantity } from './rpc-call.ts';

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

/** A node's message, shortened and without URLs, which may contain a provider's key. */
export function saidBy(message: string): string {
  return message.replaceAll(/\S*:\/\/\S*/g, '…').slice(0, MOST_WORDS);
}

export function numberOf(value: unknown): bigint {
  const quantity = readQuantity(value);
  if (quantity === undefined) throw new NodeRefused('the node answers no number');
  return quantity;
}

/** Zero when there is no contract at the address. */
export function wordOf(value: unknown): bigint {
  return value === '0x' ? 0n : numberOf(value);
}

export const hexOf = (value: bigint): string => `0x${value.toString(16)}`;
