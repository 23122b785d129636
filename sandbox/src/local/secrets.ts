// Secrets of one development world, generated once and stored with its data, so that printed keys stay valid.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod/mini';

const devSecrets = z.object({
  pepper: z.string(),
  masterKeys: z.string(),
  /** Password of the API's database role. */
  apiPassword: z.string(),
  settlementPassword: z.string(),
  webhooksPassword: z.string(),
  adminPassword: z.string(),
  consolePassword: z.string(),
  /** Key for calls between services. */
  internalKey: z.string(),
  /** Seed of all keys on the development chain. */
  chainSeed: z.string().check(z.regex(/^0x[0-9a-f]{64}$/)),
  account: z.optional(z.object({ id: z.string(), publishableKey: z.string(), secretKey: z.string() })),
});

export type DevSecrets = z.infer<typeof devSecrets>;
export type DevAccount = NonNullable<DevSecrets['account']>;

/** Reads the secrets in `file`; generates and stores those that are missing. */
export function readDevSecrets(file: string): DevSecrets {
  const merged = devSecrets.safeParse({ ...drawn(), ...kept(file) });
  const secrets = merged.success ? merged.data : drawn();
  writeDevSecrets(file, secrets);
  return secrets;
}

function drawn(): DevSecrets {
  const hex = () => randomBytes(32).toString('hex');
  const base64 = () => randomBytes(32).toString('base64');
  return {
    pepper: base64(),
    masterKeys: `1:${base64()}`,
    apiPassword: hex(),
    settlementPassword: hex(),
    webhooksPassword: hex(),
    adminPassword: hex(),
    consolePassword: hex(),
    internalKey: hex(),
    chainSeed: `0x${hex()}`,
  };
}

function kept(file: string): object {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    // The file is missing or invalid: generate new secrets.
    return {};
  }
}

export function writeDevSecrets(file: string, secrets: DevSecrets): void {
  writeOwn(file, JSON.stringify(secrets, null, 2));
  if (secrets.account !== undefined) writeOwn(secretKeyFileOf(path.dirname(file)), secrets.account.secretKey);
}

/** File with only the account's secret key, for SVC_SECRET_KEY_FILE. */
export const secretKeyFileOf = (folder: string): string => path.join(folder, 'secret-key');

/** Writes atomically, readable only by the owner. */
function writeOwn(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const staging = `${file}.${process.pid}`;
  writeFileSync(staging, `${text}\n`, { mode: 0o600 });
  renameSync(staging, file);
}
