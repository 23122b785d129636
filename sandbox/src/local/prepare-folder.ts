import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { reachableDirectory, waitForPreviousServer } from '@svc-pay/postgres/server';
import { SERVICE_NAMES } from '@svc-pay/runtime/process/find-service';
import { chainFile, waitForPreviousChain } from './start-chain.ts';
import { engineFolder } from './start-engine.ts';

/** Creates the folder, deletes an earlier world in it if asked, and returns the database directory. */
export async function prepareFolder(folder: string, fresh: boolean): Promise<string> {
  const directory = reachableDirectory(path.join(folder, 'postgres'));
  await mkdir(folder, { recursive: true });
  await Promise.all([waitForPreviousServer(directory), waitForPreviousChain(folder)]);
  const hasDatabase = existsSync(path.join(directory, 'PG_VERSION'));
  if (fresh) await forget(folder, hasDatabase ? directory : undefined);
  // A chain without its database would already have settled intent codes that are given out again.
  if (fresh || !hasDatabase) await rm(chainFile(folder), { force: true });
  return directory;
}

/** Deletes only the files of a world: the folder belongs to the caller and may hold others. */
async function forget(folder: string, directory: string | undefined): Promise<void> {
  if (directory !== undefined) await rm(directory, { recursive: true });
  await rm(engineFolder(folder), { recursive: true, force: true });
  for (const file of ['secrets.json', ...[...SERVICE_NAMES, 'admin', 'console'].map((name) => `${name}.log`)]) {
    await rm(path.join(folder, file), { force: true });
  }
}
