import { sha256 } from '@noble/hashes/sha2.js';
import { base58FromBytes, bytesFromBase58 } from './base58.ts';
import { isOnCurve } from './is-on-curve.ts';

const ASSOCIATED_TOKEN_PROGRAM = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
const ADDRESS_BYTES = 32;
const MOST_BUMPS = 255;
const MARKER = new TextEncoder().encode('ProgramDerivedAddress');

/** The associated token account of an owner and a mint; undefined when one of the three is no address. */
export function tokenAccountOf(owner: string, mint: string, tokenProgram: string): string | undefined {
  const parts = [owner, tokenProgram, mint, ASSOCIATED_TOKEN_PROGRAM].map(bytesFromBase58);
  const [ownerBytes, tokenProgramBytes, mintBytes, programBytes] = parts;
  if (!ownerBytes || !tokenProgramBytes || !mintBytes || !programBytes) return undefined;
  if (parts.some((part) => part?.length !== ADDRESS_BYTES)) return undefined;
  // Highest bump whose address is not on the curve, so that no key can exist for it.
  for (let bump = MOST_BUMPS; bump >= 0; bump -= 1) {
    const seeds = [...ownerBytes, ...tokenProgramBytes, ...mintBytes, bump];
    const derived = sha256(Uint8Array.from([...seeds, ...programBytes, ...MARKER]));
    if (!isOnCurve(derived)) return base58FromBytes(derived);
  }
  return undefined;
}
