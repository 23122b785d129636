// Starts PostgreSQL, migrated, with one role per service that has only the rights of that service.
import { type Database, inTransaction, migrate, openDatabase } from '@svc-pay/postgres';
import { type PostgresServer, startPostgres } from '@svc-pay/postgres/server';
import type { DevSecrets } from './secrets.ts';

export type DevDatabase = Pick<PostgresServer, 'ended' | 'stop'> & {
  /** Superuser URL; contains the password. */
  readonly url: string;
  /** Superuser pool, for setting up. */
  readonly pool: Database['pool'];
  readonly apiUrl: string;
  readonly settlementUrl: string;
  readonly webhooksUrl: string;
  readonly adminUrl: string;
  readonly consoleUrl: string;
};

export async function startDatabase(directory: string, secrets: DevSecrets): Promise<DevDatabase> {
  const server = await startPostgres({ dataDirectory: directory });
  try {
    const migrated = await migrate(server.url);
    if (!migrated.ok) throw new Error(`migration ${migrated.name} does not fit (${migrated.code}); start with --fresh`);
    const database = openDatabase(server.url, {
      applicationName: 'svc-dev',
      maxConnections: 2,
      statementTimeoutMs: 30_000,
      onConnectionLost: () => {},
    });
    const login = (role: string, group: string, password: string) =>
      giveRole(database, server.url, { role, group, password });
    return {
      ended: server.ended,
      stop: async () => {
        await database.close();
        await server.stop();
      },
      url: server.url,
      pool: database.pool,
      apiUrl: await login('svc_dev_api', 'svc_api', secrets.apiPassword),
      settlementUrl: await login('svc_dev_settlement', 'svc_settlement', secrets.settlementPassword),
      webhooksUrl: await login('svc_dev_webhooks', 'svc_webhooks', secrets.webhooksPassword),
      adminUrl: await login('svc_dev_admin', 'svc_admin', secrets.adminPassword),
      consoleUrl: await login('svc_dev_console', 'svc_console', secrets.consolePassword),
    };
  } catch (problem) {
    await server.stop();
    throw problem;
  }
}

type Login = { readonly role: string; readonly group: string; readonly password: string };

/** Returns the URL that a service logs in with. */
async function giveRole({ pool }: Database, superuserUrl: string, { role, group, password }: Login): Promise<string> {
  // A role's password cannot be a query parameter. Safe to insert: it is checked to be hexadecimal.
  if (!/^[0-9a-f]{64}$/.test(password)) throw new Error('the development secrets are damaged; start with --fresh');
  await inTransaction(pool, async (client) => {
    const { rowCount } = await client.query('select from pg_roles where rolname = $1', [role]);
    if (rowCount === 0) await client.query(`create role ${role} in role ${group}`);
    await client.query(`alter role ${role} with login password '${password}'`);
  });
  const url = new URL(superuserUrl);
  url.username = role;
  url.password = password;
  return url.href;
}
