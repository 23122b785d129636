// Keys of relayers and the recovery key, made on this machine. `--relayers 0` makes none: for keys in a KMS.
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { sealKeystore } from '@svc-pay/evm';
import { familyOf } from '@svc-pay/protocol';
import type { InitChoices } from './choices.ts';
import { newSolanaKeyFile, solanaAddressIn } from './ed25519-keys.ts';
import { RELAYERS_FOLDER } from './folder-layout.ts';

export const RECOVERY_FILE = 'recovery.json';

const hasFamily = ({ chains }: InitChoices, family: string) =>
  chains.some(({ network }) => familyOf(network) === family);

/** Absolute paths: encrypted keystores of EVM relayers, then of the recovery key. */
export function evmKeyFiles(choices: InitChoices): readonly string[] {
  if (choices.relayers === 0 || !hasFamily(choices, 'evm')) return [];
  const relayers = Array.from({ length: choices.relayers }, (_, index) => `evm-${index + 1}.json`);
  return [...relayers, RECOVERY_FILE].map((name) => path.join(choices.folder, RELAYERS_FOLDER, name));
}

/** Absolute paths. Solana's keys are made also with `--relayers 0`: they have no KMS. */
export function solanaKeyFiles(choices: InitChoices): readonly string[] {
  if (!hasFamily(choices, 'solana')) return [];
  return Array.from({ length: Math.max(1, choices.relayers) }, (_, index) =>
    path.join(choices.folder, RELAYERS_FOLDER, `solana-${index + 1}.json`),
  );
}

/** The content of a new key file. */
export async function newKeyFile(file: string, password: string): Promise<string> {
  if (path.basename(file).startsWith('solana-')) return newSolanaKeyFile();
  return sealKeystore(randomBytes(32), password);
}

/** Address of the key in a file of `newKeyFile`. */
export function addressIn(file: string, content: string): string {
  if (path.basename(file).startsWith('solana-')) return solanaAddressIn(content);
  return `0x${(JSON.parse(content) as { address: string }).address}`;
}
