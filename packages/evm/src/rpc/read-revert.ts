// How nodes say that a call reverted. Some give code 3 and the bytes, some wrap the bytes in text or an object, some
// have only a sentence.
import type { Hex } from 'viem';
import type { RpcAnswer } from './json-rpc.ts';

type Refusal = Extract<RpcAnswer, { ok: false }>;

/** False means that the node could not answer, which says nothing about the call. Running out of gas is a revert. */
export function isRevert(answer: Refusal): boolean {
  const sentences = /revert|out of gas|OutOfGas|invalid opcode|gas required exceeds|VM execution error/i;
  return answer.code === 3 || sentences.test(answer.message);
}

/** The bytes that the contract gave back, from wherever the node put them; undefined when it kept them to itself. */
export function revertData({ data, message }: Refusal): Hex | undefined {
  return bytesIn(data) ?? bytesIn(message);
}

function bytesIn(value: unknown): Hex | undefined {
  if (typeof value === 'string') return /0x(?:[0-9a-f]{2}){4,}/i.exec(value)?.[0].toLowerCase() as Hex | undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const inner of Object.values(value)) {
    const found = bytesIn(inner);
    if (found !== undefined) return found;
  }
  return undefined;
}
