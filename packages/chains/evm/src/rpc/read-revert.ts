// Recognizes reverts. Some nodes return code 3 and the bytes, some wrap the bytes in text or an object, some return
// only a sentence.
import type { Hex } from 'viem';
import type { RpcAnswer } from './json-rpc.ts';

type Refusal = Extract<RpcAnswer, { ok: false }>;

// A contract chooses how its code ends, so every way of ending counts as a revert and not as a failure of the node.
const ENDED =
  /revert|out of gas|OutOfGas|invalid opcode|InvalidFEOpcode|OpcodeNotFound|invalid jump|InvalidJump|stack (?:underflow|limit)|Stack(?:Underflow|Overflow)|write protection|StateChangeDuringStaticCall|return data out of bounds|OutOfOffset|EVM error|gas required exceeds|VM execution error/i;

/** False means that the node could not answer, which says nothing about the call. Running out of gas is a revert. */
export function isRevert(answer: Refusal): boolean {
  return answer.code === 3 || ENDED.test(answer.message);
}

/** Revert data, wherever the node put it; undefined when the node did not return it. */
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
