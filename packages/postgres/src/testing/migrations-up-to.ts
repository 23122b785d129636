import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { RELEASE } from '../migration/migrate.ts';

/** A folder with the migrations of this release up to a number. It is removed after the test. */
export async function migrationsUpTo(number: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'svc-pay-migrations-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const files = (await readdir(RELEASE)).filter((file) => file.slice(0, 4) <= number);
  for (const file of files) await cp(path.join(RELEASE, file), path.join(folder, file));
  return folder;
}
