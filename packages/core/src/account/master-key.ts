export type MasterKey = {
  /** 1 to 255; prefixed to each ciphertext, so that an older master key still opens what it sealed. */
  readonly number: number;
  /** 32 bytes. */
  readonly bytes: Uint8Array;
};
