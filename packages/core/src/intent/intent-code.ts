// Form of an intent code: a random prefix of 20 bits and a counter of 33 bits, so that it fits a JSON number. A restore
// goes on under a new prefix, because the codes that were given out after the backup are not known.

const COUNTER_BITS = 33n;
const CODE_BITS = 53n;

/** An on-chain code may be any 64 bits; ours have 53. */
export function isIntentCode(code: bigint): boolean {
  return code >> CODE_BITS === 0n;
}

/** The first and the last code that a prefix can have. */
export function codesOfPrefix(prefix: number): { readonly first: bigint; readonly last: bigint } {
  const first = BigInt(prefix) << COUNTER_BITS;
  return { first, last: first + (1n << COUNTER_BITS) - 1n };
}

/** True if no code of `usedCodes` has the prefix. */
export function isUnusedPrefix(prefix: number, usedCodes: Iterable<bigint>): boolean {
  for (const code of usedCodes) if (code >> COUNTER_BITS === BigInt(prefix)) return false;
  return true;
}
