// Relayer keys, from encrypted files or a key service, or in test mode from the environment. From here on they are signers:
// nothing else in the process sees a key.
import { readFile } from 'node:fs/promises';
import { createKmsSigner, createLocalSigner, openAwsKms, openKeystore, type TransactionSigner } from '@svc-pay/evm';
import type { RelayerSettings } from './config.ts';

/** Throws in words, by the file's name: without its keys this process is of no use. */
export async function openSigners(settings: RelayerSettings): Promise<readonly TransactionSigner[]> {
  const { relayerKeystores, relayerPasswordFile, relayerKmsKeys = [], relayerTestKeys } = settings;
  if (relayerTestKeys !== undefined) {
    return relayerTestKeys.map((key) => createLocalSigner(Buffer.from(key.slice(2), 'hex')));
  }
  const signers: TransactionSigner[] = [];
  for (const key of relayerKmsKeys) signers.push(await createKmsSigner(await openAwsKms(key)));
  if (relayerKeystores === undefined) return signers;
  const [password = ''] = (await readFile(relayerPasswordFile ?? '', 'utf8')).split(/\r?\n/, 1);
  for (const file of relayerKeystores) {
    const opened = await openKeystore(await readFile(file, 'utf8'), password);
    if (!opened.ok) throw new Error(`keystore ${file}: ${opened.code}`);
    signers.push(opened.signer);
  }
  return signers;
}
