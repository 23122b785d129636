// Holder of a relayer's key: this process, or a key service that never gives the key out.
import { createKeyPairSignerFromPrivateKeyBytes, signBytes } from '@solana/kit';

export type RelayerSigner = {
  readonly address: string;
  /** 64-byte ed25519 signature of the message. */
  readonly signMessage: (message: Uint8Array) => Promise<Uint8Array>;
};

/** From the 32 secret bytes. The key cannot be extracted afterwards: printing the signer shows just the address. */
export async function createLocalRelayer(secret: Uint8Array): Promise<RelayerSigner> {
  if (secret.length !== 32) throw new RangeError('a relayer key is 32 bytes');
  const { address, keyPair } = await createKeyPairSignerFromPrivateKeyBytes(secret);
  return Object.freeze({
    address,
    signMessage: async (message: Uint8Array) => Uint8Array.from(await signBytes(keyPair.privateKey, message)),
  });
}
