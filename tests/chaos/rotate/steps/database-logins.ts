// Database logins: a second login joins the group, processes move over, and the first one is dropped.
import { randomBytes } from 'node:crypto';
import { scramVerifier } from '@svc-pay/cli/init/scram';
import pg from 'pg';
import { expect } from 'vitest';
import { waitUntil } from '../../harness/wait-until.ts';
import type { Drill, Step } from '../drill.ts';
import { processesOf, type Service } from '../rotate-world.ts';

const SESSIONS_MS = 20_000;

const canConnect = async (url: string): Promise<boolean> => {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
};

/** As `\password` of psql: the server learns the verifier alone. */
const setPassword = (pool: pg.Pool, role: string, password: string) =>
  pool.query(`alter role ${role} password '${scramVerifier(password)}'`);

async function rotateLogin(drill: Drill, program: Service | 'command', group: string): Promise<void> {
  const { pool, secret, writeSecret, roll, run } = drill;
  const file = `database-url-${program}`;
  const old = new URL(secret(file));
  const next = Object.assign(new URL(old), {
    username: `${old.username}_2`,
    password: randomBytes(32).toString('base64url'),
  });
  await pool.query(`create role ${next.username} login in role ${group}`);
  await pool.query(`grant connect on database postgres to ${next.username}`);
  await setPassword(pool, next.username, next.password);
  writeSecret(file, next.href);
  if (program === 'command') await run('relayers', 'list');
  else await roll(`${program} logs in as ${next.username}`, processesOf(program));
  const isUnused = async () => {
    const { rows } = await pool.query('select from pg_stat_activity where usename = $1', [old.username]);
    return rows.length === 0;
  };
  expect({ unused: old.username, is: await waitUntil(isUnused, SESSIONS_MS) }).toMatchObject({ is: true });
  expect(await canConnect(old.href)).toBe(true);
  await pool.query(`revoke connect on database postgres from ${old.username}`);
  await pool.query(`drop role ${old.username}`);
  expect([await canConnect(old.href), await canConnect(next.href)]).toEqual([false, true]);
  await drill.stage(`${old.username} is dropped`);
}

export const rotateApiLogin: Step = (drill) => rotateLogin(drill, 'api', 'svc_api');
export const rotateSettlementLogin: Step = (drill) => rotateLogin(drill, 'settlement', 'svc_settlement');
export const rotateWebhooksLogin: Step = (drill) => rotateLogin(drill, 'webhooks', 'svc_webhooks');
export const rotateAdminLogin: Step = (drill) => rotateLogin(drill, 'admin', 'svc_admin');
export const rotateOperatorLogin: Step = async (drill) => {
  await rotateLogin(drill, 'command', 'svc_migrator');
  await drill.run('migrate');
};

/** No process logs in as the superuser, so its password is replaced in place. */
export const rotateSuperuserPassword: Step = async ({ pool, server, stage }) => {
  const old = server.url;
  const next = Object.assign(new URL(old), { password: randomBytes(32).toString('base64url') });
  expect(await canConnect(old)).toBe(true);
  await setPassword(pool, 'postgres', next.password);
  expect([await canConnect(old), await canConnect(next.href)]).toEqual([false, true]);
  await stage('the superuser has another password');
};
