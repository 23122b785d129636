// Relayer keys and the recovery key, from encrypted files or a key service, or in test mode from the environment. From here
// on they are signers: nothing else in the process sees a key.
import { readFile } from 'node:fs/promises';
import { createKmsSigner, createLocalSigner, openAwsKms, openKeystore, type TransactionSigner } from '@svc-pay/evm';
import type { SettlementConfig } from './config.ts';

type SignerSettings = Pick<
  SettlementConfig,
  | 'relayerKeystores'
  | 'relayerPasswordFile'
  | 'relayerKmsKeys'
  | 'relayerTestKeys'
  | 'recoveryKeystore'
  | 'recoveryTestKey'
>;

export type Signers = {
  readonly relayers: readonly TransactionSigner[];
  readonly recovery: TransactionSigner | undefined;
};

/** Throws in words, by the file's name: without its keys this process is of no use. */
export async function openSigners(settings: SignerSettings): Promise<Signers> {
  const { relayerKeystores, relayerTestKeys, recoveryKeystore, recoveryTestKey } = settings;
  const password = await readPassword(settings);
  const relayers: TransactionSigner[] = (relayerTestKeys ?? []).map(signerOf);
  if (relayerTestKeys === undefined) {
    for (const key of settings.relayerKmsKeys ?? []) relayers.push(await createKmsSigner(await openAwsKms(key)));
    for (const file of relayerKeystores ?? []) relayers.push(await openFile(file, password));
  }
  const recovery =
    recoveryTestKey !== undefined
      ? signerOf(recoveryTestKey)
      : recoveryKeystore && (await openFile(recoveryKeystore, password));
  // One key with two nonce lines would be two writers.
  if (recovery && relayers.some(({ address }) => address === recovery.address))
    throw new Error('the recovery key is a relayer key as well; give it a key of its own');
  return { relayers, recovery: recovery || undefined };
}

const signerOf = (key: string): TransactionSigner => createLocalSigner(Buffer.from(key.slice(2), 'hex'));

async function readPassword({ relayerPasswordFile }: SignerSettings): Promise<string> {
  if (relayerPasswordFile === undefined) return '';
  const [password = ''] = (await readFile(relayerPasswordFile, 'utf8')).split(/\r?\n/, 1);
  return password;
}

async function openFile(file: string, password: string): Promise<TransactionSigner> {
  const opened = await openKeystore(await readFile(file, 'utf8'), password);
  if (!opened.ok) throw new Error(`keystore ${file}: ${opened.code}`);
  return opened.signer;
}
