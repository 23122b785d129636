// Opens relayer keys and the recovery key from encrypted files or a key service, in test mode from the environment. The
// rest of the process sees signers, never a key.
import { readFile } from 'node:fs/promises';
import { openAwsKms } from './aws-kms.ts';
import { openKeystore } from './keystore.ts';
import { createKmsSigner } from './kms-signer.ts';
import { createLocalSigner } from './local-signer.ts';
import type { TransactionSigner } from './transaction-signer.ts';

export type SignerSettings = {
  /** Paths of key files. */
  readonly relayerKeystores?: readonly string[] | undefined;
  readonly relayerPasswordFile?: string | undefined;
  readonly relayerKmsKeys?: readonly string[] | undefined;
  /** 0x-hex. */
  readonly relayerTestKeys?: readonly string[] | undefined;
  readonly recoveryKeystore?: string | undefined;
  readonly recoveryTestKey?: string | undefined;
};

export type Signers = {
  readonly relayers: readonly TransactionSigner[];
  readonly recovery: TransactionSigner | undefined;
};

/** Throws with a message that names the file: the process cannot work without its keys. */
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
  // One key in two lanes would mean two writers of one sequence of nonces.
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
