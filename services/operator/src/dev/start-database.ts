// PostgreSQL, migrated, with a role for the API that may do what the API may do and no more.

import type { Clock } from '@svc-pay/core';
import { inTransaction, migrate, openDatabase } from '@svc-pay/postgres';
import type { Operation } from '@svc-pay/postgres/operator';
import { type PostgresServer, startPostgres } from '@svc-pay/postgres/server';
import type { DevAccount, DevSecrets } from './secrets.ts';
import { seedAccount } from './seed-account.ts';

const API_ROLE = 'svc_dev_api';

export type DevDatabase = { readonly server: PostgresServer; readonly apiUrl: string; readonly account: DevAccount };

export async function startDatabase(directory: string, secrets: DevSecrets, clock: Clock): Promise<DevDatabase> {
  const server = await startPostgres({ dataDirectory: directory });
  try {
    const migrated = await migrate(server.url);
    if (!migrated.ok) throw new Error(`migration ${migrated.name} does not fit (${migrated.code}); start with --fresh`);
    const account = await prepare(server.url, secrets, clock);
    const apiUrl = new URL(server.url);
    apiUrl.username = API_ROLE;
    apiUrl.password = secrets.apiPassword;
    return { server, apiUrl: apiUrl.href, account };
  } catch (problem) {
    await server.stop();
    throw problem;
  }
}

async function prepare(url: string, secrets: DevSecrets, clock: Clock): Promise<DevAccount> {
  const database = openDatabase(url, {
    applicationName: 'svc-dev',
    maxConnections: 2,
    statementTimeoutMs: 30_000,
    onConnectionLost: () => {},
  });
  try {
    await inTransaction(database.pool, async (client) => {
      const { rowCount } = await client.query('select from pg_roles where rolname = $1', [API_ROLE]);
      if (rowCount === 0) await client.query(`create role ${API_ROLE} in role svc_api`);
      // A role's password can't be a parameter; this one is hexadecimal by its making.
      if (!/^[0-9a-f]{64}$/.test(secrets.apiPassword))
        throw new Error('the development secrets are damaged; start with --fresh');
      await client.query(`alter role ${API_ROLE} with login password '${secrets.apiPassword}'`);
    });
    const operation: Operation = { pool: database.pool, nowMs: clock.nowMs(), actor: 'operator:dev' };
    return await seedAccount(operation, secrets);
  } finally {
    await database.close();
  }
}
