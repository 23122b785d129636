// Solana relayer keys, from files or in test mode from the environment. From here on they are signers: nothing else in the
// process sees a key.
import { readFile } from 'node:fs/promises';
import { createLocalRelayer, type RelayerSigner, secretInKeyFile } from '@svc-pay/solana';
import type { SettlementConfig } from '../config.ts';

type KeySettings = Pick<SettlementConfig, 'solanaRelayerFiles' | 'solanaRelayerTestKeys'>;

/** Throws in words, by the file's name and never by what is in it. */
export async function openSolanaRelayers(settings: KeySettings): Promise<readonly RelayerSigner[]> {
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
