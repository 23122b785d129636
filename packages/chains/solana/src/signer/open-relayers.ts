// Opens Solana relayer keys from files, in test mode from the environment. The rest of the process sees signers, never
// a key.
import { readFile } from 'node:fs/promises';
import { secretInKeyFile } from './key-file.ts';
import { createLocalRelayer, type RelayerSigner } from './relayer-signer.ts';

export type SolanaRelayerSettings = {
  readonly solanaRelayerFiles?: readonly string[] | undefined;
  /** 0x-hex. */
  readonly solanaRelayerTestKeys?: readonly string[] | undefined;
};

/** Throws with a message that names the file, never its content. */
export async function openSolanaRelayers(settings: SolanaRelayerSettings): Promise<readonly RelayerSigner[]> {
  const signers: RelayerSigner[] = [];
  for (const key of settings.solanaRelayerTestKeys ?? []) {
    signers.push(await createLocalRelayer(Buffer.from(key.slice(2), 'hex')));
  }
  for (const file of settings.solanaRelayerFiles ?? []) {
    const secret = secretInKeyFile(await readFile(file));
    if (secret === undefined) throw new Error(`relayer key ${file}: neither 32 bytes nor a keypair file`);
    signers.push(await createLocalRelayer(secret));
  }
  return signers;
}
