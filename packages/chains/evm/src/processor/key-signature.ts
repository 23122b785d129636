// Normalizes a key's signature to the one form that tokens and the processor accept, whatever form the wallet sent.
import type { Hex } from 'viem';
import { readSignature } from '../verify/read-signature.ts';

export type SplitSignature = { readonly r: Hex; readonly s: Hex; readonly v: 27 | 28 };

/** Undefined when no key can have made the signature. */
export function splitSignature(signature: string): SplitSignature | undefined {
  const read = readSignature(Buffer.from(signature.slice(2), 'hex'));
  if (read === undefined) return undefined;
  const bytes = Buffer.from(read.bytes).toString('hex');
  return { r: `0x${bytes.slice(0, 64)}`, s: `0x${bytes.slice(64)}`, v: read.recovery === 0 ? 27 : 28 };
}

/** 65 bytes, r, s, v, with v as 27 or 28. */
export function normalSignature(signature: string): Hex | undefined {
  const split = splitSignature(signature);
  return split && (`${split.r}${split.s.slice(2)}${split.v.toString(16)}` as Hex);
}
