// Solana relayer keys, from files or in test mode from the environment. From here on they are signers: nothing else in the
// process sees a key.
import { readFile } from 'node:fs/promises';
import { createLocalRelayer, type RelayerSigner } from '@svc-pay/solana';
import type { SettlementConfig } from '../config.ts';

type KeySettings = Pick<SettlementConfig, 'solanaRelayerFiles' | 'solanaRelayerTestKeys'>;

const SECRET_BYTES = 32;
/** What `solana-keygen` writes: the secret and the public half, as a list of numbers. */
const PAIR_BYTES = 64;

/** Throws in words, by the file's name and never by what is in it. */
export async function openSolanaRelayers(settings: KeySettings): Promise<readonly RelayerSigner[]> {
  const signers: RelayerSigner[] = [];
  for (const key of settings.solanaRelayerTestKeys ?? []) {
    signers.push(await createLocalRelayer(Buffer.from(key.slice(2), 'hex')));
  }
  for (const file of settings.solanaRelayerFiles ?? []) {
    const secret = secretIn(await readFile(file));
    if (secret === undefined) throw new Error(`relayer key ${file}: neither ${SECRET_BYTES} bytes nor a keypair file`);
    signers.push(await createLocalRelayer(secret));
  }
  return signers;
}

function secretIn(bytes: Uint8Array): Uint8Array | undefined {
  if (bytes.length === SECRET_BYTES) return bytes;
  try {
    const numbers: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
    if (!Array.isArray(numbers) || numbers.length !== PAIR_BYTES) return undefined;
    const whole = numbers.every((number) => Number.isInteger(number) && number >= 0 && number <= 255);
    return whole ? Uint8Array.from(numbers.slice(0, SECRET_BYTES) as number[]) : undefined;
  } catch {
    return undefined;
  }
}
