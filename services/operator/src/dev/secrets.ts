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
  account: z.optional(z.object({ id: z.string(), publishableKey: z.string(), secretKey: z.string() })),
});

export type DevSecrets = z.infer<typeof devSecrets>;
export type DevAccount = NonNullable<DevSecrets['account']>;

const draw = () => randomBytes(32).toString('base64');

/** What is kept in `file`, or new ones where there is nothing to read. */
export function readDevSecrets(file: string): DevSecrets {
  try {
    const kept = devSecrets.safeParse(JSON.parse(readFileSync(file, 'utf8')));
    if (kept.success) return kept.data;
  } catch {
    // Not there, or not ours: start anew.
  }
  const fresh = { pepper: draw(), masterKeys: `1:${draw()}`, apiPassword: randomBytes(32).toString('hex') };
  writeDevSecrets(file, fresh);
  return fresh;
}

/** Whole or not at all, and for nobody else to read. */
export function writeDevSecrets(file: string, secrets: DevSecrets): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const staging = `${file}.${process.pid}`;
  writeFileSync(staging, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  renameSync(staging, file);
}
