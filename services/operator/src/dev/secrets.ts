// Secrets of one development world, drawn once and kept beside its data: keys that were printed yesterday work today.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod/mini';

const devSecrets = z.object({
  pepper: z.string(),
  masterKeys: z.string(),
  /** Of the database role that the API logs in with. */
  apiPassword: z.string(),
  settlementPassword: z.string(),
  webhooksPassword: z.string(),
  /** Between services. */
  internalKey: z.string(),
  /** Every key on the development chain comes from it. */
  chainSeed: z.string().check(z.regex(/^0x[0-9a-f]{64}$/)),
  account: z.optional(z.object({ id: z.string(), publishableKey: z.string(), secretKey: z.string() })),
});

export type DevSecrets = z.infer<typeof devSecrets>;
export type DevAccount = NonNullable<DevSecrets['account']>;

/** What is kept in `file`; what is missing there is drawn anew, and kept from then on. */
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
    internalKey: hex(),
    chainSeed: `0x${hex()}`,
  };
}

function kept(file: string): object {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    // Not there, or not ours: start anew.
    return {};
  }
}

export function writeDevSecrets(file: string, secrets: DevSecrets): void {
  writeOwn(file, JSON.stringify(secrets, null, 2));
  if (secrets.account !== undefined) writeOwn(secretKeyFileOf(path.dirname(file)), secrets.account.secretKey);
}

/** The account's secret key alone, for SVC_SECRET_KEY_FILE. */
export const secretKeyFileOf = (folder: string): string => path.join(folder, 'secret-key');

/** Whole or not at all, and for nobody else to read. */
function writeOwn(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const staging = `${file}.${process.pid}`;
  writeFileSync(staging, `${text}\n`, { mode: 0o600 });
  renameSync(staging, file);
}
