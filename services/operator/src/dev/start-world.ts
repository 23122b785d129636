// The development world: a database with an account in it, and the API in front. Everything it keeps is in one folder.
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '@svc-pay/core';
import { reachableDirectory, waitForPreviousServer } from '@svc-pay/postgres/server';
import type { Service } from '../service/services.ts';
import { choosePort, isFree } from './choose-port.ts';
import { DEV_NETWORKS } from './dev-networks.ts';
import { type DevAccount, readDevSecrets, writeDevSecrets } from './secrets.ts';
import { startApi } from './start-api.ts';
import { startDatabase } from './start-database.ts';

export type WorldOptions = {
  readonly folder: string;
  readonly api: Service;
  /** Forget what is there. */
  readonly fresh: boolean;
  /** Undefined: the usual one, or a free one when it is taken. */
  readonly port: number | undefined;
  readonly clock: Clock;
};

export type World = {
  readonly baseUrl: string;
  readonly account: DevAccount;
  readonly logFile: string;
  /** Settles with words when a part ends by itself. */
  readonly ended: Promise<string>;
  readonly stop: () => Promise<void>;
};

export type WorldStart = { readonly ok: true; readonly world: World } | { readonly ok: false; readonly reason: string };

const USUAL_PORT = 8402;

/** Only what a world is made of: the folder is the caller's, and may hold other things. */
async function forget(folder: string, directory: string): Promise<void> {
  if (existsSync(path.join(directory, 'PG_VERSION'))) await rm(directory, { recursive: true });
  for (const file of ['secrets.json', 'api.log']) await rm(path.join(folder, file), { force: true });
}

export async function startWorld({ folder, api, fresh, port: wanted, clock }: WorldOptions): Promise<WorldStart> {
  const directory = reachableDirectory(path.join(folder, 'postgres'));
  if (fresh) {
    await waitForPreviousServer(directory);
    await forget(folder, directory);
  }
  if (wanted !== undefined && !(await isFree(wanted))) return { ok: false, reason: `port ${wanted} is taken` };
  const port = wanted ?? (await choosePort(USUAL_PORT));

  const secretsFile = path.join(folder, 'secrets.json');
  const secrets = readDevSecrets(secretsFile);
  const { server, apiUrl, account } = await startDatabase(directory, secrets, clock);
  writeDevSecrets(secretsFile, { ...secrets, account });

  const baseUrl = `http://127.0.0.1:${port}`;
  const logFile = path.join(folder, 'api.log');
  const started = await startApi(
    api,
    baseUrl,
    {
      SVC_DATABASE_URL: apiUrl,
      SVC_KEY_PEPPER: secrets.pepper,
      SVC_NETWORKS: JSON.stringify(DEV_NETWORKS),
      SVC_NETWORKS_FILE: undefined,
      SVC_API_PORT: String(port),
      SVC_API_METRICS_PORT: '0',
      SVC_API_PUBLIC_URL: baseUrl,
    },
    logFile,
  );
  if (!started.ok) {
    await server.stop();
    return started;
  }
  const { services } = started;
  return {
    ok: true,
    world: {
      baseUrl,
      account,
      logFile,
      ended: Promise.race([
        services.ended.then(({ exitCode }) => `the API ended with exit code ${exitCode}; its log is ${logFile}`),
        server.ended.then(() => 'PostgreSQL ended'),
      ]),
      stop: async () => {
        await services.stop();
        await server.stop();
      },
    },
  };
}
