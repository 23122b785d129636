// Whoever holds a relayer's key: this process, or a machine that never gives it out.
import { createKeyPairSignerFromPrivateKeyBytes, signBytes } from '@solana/kit';

export type RelayerSigner = {
  readonly address: string;
  /** 64 bytes of ed25519 over the message. */
  readonly signMessage: (message: Uint8Array) => Promise<Uint8Array>;
};

/** From the 32 secret bytes. The key is not extractable afterwards: printing the signer shows its address. */
export async function createLocalRelayer(secret: Uint8Array): Promise<RelayerSigner> {
  if (secret.length !== 32) throw new RangeError('a relayer key is 32 bytes');
  const { address, keyPair } = await createKeyPairSignerFromPrivateKeyBytes(secret);
  return Object.freeze({
    address,
    signMessage: async (message: Uint8Array) => Uint8Array.from(await signBytes(keyPair.privateKey, message)),
  });
}
