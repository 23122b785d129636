// Azurite, the blob store for the snapshots of a Restate cluster. Fetched once into the cache, because its 374 packages
// are too many for the ordinary install.
import { spawn, spawnSync } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '@svc-pay/postgres/server';
import { killOnParentExit } from '@svc-pay/runtime/process/kill-on-parent-exit';
import { environmentOfChild } from '../../../tools/config.ts';
import { nowMs } from './clock.ts';
import { waitUntil } from './wait-until.ts';

export type BlobStore = {
  /** Restate settings that name the snapshot location. */
  readonly environment: Readonly<Record<string, string>>;
  /** Number of stored blobs; a snapshot has several. */
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

export async function startBlobStore(directory: string, print: (line: string) => void): Promise<BlobStore> {
  install(print);
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
  if (child.pid !== undefined) child.once('exit', killOnParentExit(child.pid));
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

/** Reads Azurite's index file, which it writes every few seconds. */
function countBlobs(indexFile: string): number {
  const { collections } = JSON.parse(readFileSync(indexFile, 'utf8')) as {
    collections: readonly { readonly name: string; readonly data: readonly unknown[] }[];
  };
  return collections.find(({ name }) => name === '$BLOBS_COLLECTION$')?.data.length ?? 0;
}

function install(print: (line: string) => void): void {
  if (existsSync(PROGRAM)) return;
  print(`fetching azurite ${VERSION} into .cache, once`);
  mkdirSync(HOME, { recursive: true });
  const { status, stderr } = spawnSync(
    'npm',
    ['install', '--prefix', HOME, '--ignore-scripts', '--no-audit', '--no-fund', '--save-exact', `azurite@${VERSION}`],
    { env: environmentOfChild(), encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`azurite ${VERSION} can't be fetched: ${stderr}`);
}

/** Signs as Azure requires: SharedKey over the canonical request. */
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
