/** A signature over a digest; both halves as 32-byte 0x-hex. */
export type DigestSignature = { readonly r: `0x${string}`; readonly s: `0x${string}`; readonly yParity: 0 | 1 };

/** Holder of a relayer's key: this process, or a key service that never gives the key out. */
export type TransactionSigner = {
  readonly address: `0x${string}`;
  /** Signs 32 bytes without hashing them again. s may be high or low: the transaction that is sent has the low one. */
  readonly signDigest: (digest: Uint8Array) => Promise<DigestSignature>;
};
