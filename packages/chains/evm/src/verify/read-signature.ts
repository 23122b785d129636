// Reads a key's signature in the forms that wallets send: 65 bytes with v as 0, 1, 27 or 28, or 64 bytes with the
// parity in the top bit of s (EIP-2098).

export type KeySignature = {
  /** r and s, 64 bytes. */
  readonly bytes: Uint8Array;
  readonly recovery: 0 | 1;
};

/** Half the order of secp256k1: tokens refuse a higher s, whose signature has an equivalent with a low s. */
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;
const PARITY_BIT = 0x80;

/** Undefined for a length, a v or an s that no token accepts. */
export function readSignature(signature: Uint8Array): KeySignature | undefined {
  if (signature.length === 64) return compact(signature);
  if (signature.length !== 65) return undefined;
  const v = signature[64] ?? 0;
  const recovery = v >= 27 ? v - 27 : v;
  if (recovery !== 0 && recovery !== 1) return undefined;
  return lowS({ bytes: signature.subarray(0, 64), recovery });
}

function compact(signature: Uint8Array): KeySignature | undefined {
  const bytes = Uint8Array.from(signature);
  const top = bytes[32] ?? 0;
  bytes[32] = top & ~PARITY_BIT;
  return lowS({ bytes, recovery: (top & PARITY_BIT) === 0 ? 0 : 1 });
}

function lowS(signature: KeySignature): KeySignature | undefined {
  const s = BigInt(`0x${Buffer.from(signature.bytes.subarray(32)).toString('hex')}`);
  return s > 0n && s <= HALF_ORDER ? signature : undefined;
}
