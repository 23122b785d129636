// Azurite: the store of blobs in which a cluster of Restate keeps snapshots. 374 packages for one process are not worth an
// ordinary install, so this fetches them once, into the cache.
import { spawn, spawnSync } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { guardAgainstOutliving } from '@svc-pay/operator/outlive-guard';
import { freePort } from '@svc-pay/postgres/server';
import { environmentOfChild } from '../../../tools/config.ts';
import { nowMs } from './clock.ts';
import { waitUntil } from './wait-until.ts';

export type BlobStore = {
  /** Where snapshots go, as Restate is told. */
  readonly environment: Readonly<Record<string, string>>;
  /** How many blobs it holds; snapshots are several each. */
  readonly countBlobs: () => number;
  readonly stop: () => Promise<void>;
};

const VERSION = '3.34.0';
const ACCOUNT = 'devstoreaccount1';
const CONTAINER = 'restate';
const API_VERSION = '2021-08-06';
const START_MS = 20_000;
const HOME = path.resolve(import.meta.dirname, '../../../.cache/azurite', VERSION);
const PROGRAM = path.join(HOME, 'node_modules/azurite/dist/src/blob/main.js');

export async function startBlobStore(directory: string, say: (line: string) => void): Promise<BlobStore> {
  install(say);
  mkdirSync(directory, { recursive: true });
  const port = await freePort();
  const key = randomBytes(64);
  const log = openSync(path.join(directory, 'azurite.log'), 'a');
  const child = spawn(
    process.execPath,
    [
      PROGRAM,
      '--blobHost',
      '127.0.0.1',
      '--blobPort',
      String(port),
      '--location',
      directory,
      '--silent',
      '--loose',
    ].concat('--disableTelemetry', '--skipApiVersionCheck'),
    { stdio: ['ignore', log, log], env: { AZURITE_ACCOUNTS: `${ACCOUNT}:${key.toString('base64')}` } },
  );
  if (child.pid !== undefined) child.once('exit', guardAgainstOutliving(child.pid));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const url = `http://127.0.0.1:${port}`;
  const made = await waitUntil(() => makeContainer(url, key), START_MS);
  if (!made) throw new Error(`the store of blobs does not start; its last words are in ${directory}`);
  return {
    environment: {
      RESTATE_WORKER__SNAPSHOTS__DESTINATION: `az://${CONTAINER}/snapshots`,
      AZURE_STORAGE_USE_EMULATOR: 'true',
      AZURITE_BLOB_STORAGE_URL: url,
      AZURE_ALLOW_HTTP: 'true',
      AZURE_STORAGE_ACCOUNT_NAME: ACCOUNT,
      AZURE_STORAGE_ACCESS_KEY: key.toString('base64'),
    },
    countBlobs: () => countBlobs(path.join(directory, '__azurite_db_blob__.json')),
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** By its own index, which it writes every few seconds. */
function countBlobs(indexFile: string): number {
  const { collections } = JSON.parse(readFileSync(indexFile, 'utf8')) as {
    collections: readonly { readonly name: string; readonly data: readonly unknown[] }[];
  };
  return collections.find(({ name }) => name === '$BLOBS_COLLECTION$')?.data.length ?? 0;
}

function install(say: (line: string) => void): void {
  if (existsSync(PROGRAM)) return;
  say(`fetching azurite ${VERSION} into .cache, once`);
  mkdirSync(HOME, { recursive: true });
  const { status, stderr } = spawnSync(
    'npm',
    ['install', '--prefix', HOME, '--ignore-scripts', '--no-audit', '--no-fund', '--save-exact', `azurite@${VERSION}`],
    { env: environmentOfChild(), encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`azurite ${VERSION} can't be fetched: ${stderr}`);
}

/** Signed as Azure asks for it: SharedKey over the canonical request. */
async function makeContainer(url: string, key: Buffer): Promise<boolean> {
  const date = new Date(nowMs()).toUTCString();
  const canonical = [
    `PUT${'\n'.repeat(12)}x-ms-date:${date}`,
    `x-ms-version:${API_VERSION}`,
    `/${ACCOUNT}/${ACCOUNT}/${CONTAINER}`,
    'restype:container',
  ].join('\n');
  const signature = createHmac('sha256', key).update(canonical).digest('base64');
  const answer = await fetch(`${url}/${ACCOUNT}/${CONTAINER}?restype=container`, {
    method: 'PUT',
    headers: { authorization: `SharedKey ${ACCOUNT}:${signature}`, 'x-ms-date': date, 'x-ms-version': API_VERSION },
  });
  return answer.status === 201;
}
