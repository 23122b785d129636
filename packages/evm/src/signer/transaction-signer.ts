/** A signature over a digest; both halves as 32-byte 0x-hex. */
export type DigestSignature = { readonly r: `0x${string}`; readonly s: `0x${string}`; readonly yParity: 0 | 1 };

/** Whoever holds a relayer's key: this process, or a machine that never gives it out. */
export type TransactionSigner = {
  readonly address: `0x${string}`;
  /** Signs 32 bytes as they are. Either spelling of s is fine: what is sent always carries the low one. */
  readonly signDigest: (digest: Uint8Array) => Promise<DigestSignature>;
};
