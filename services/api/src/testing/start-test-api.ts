// The API as it runs in production, in this process, on a database of its own and with no more rights than it is granted.
import { randomBytes } from 'node:crypto';
import type { Environment } from '@svc-pay/config';
import { type Clock, createSecretBox, type MasterKey, sealingKeyOf, systemClock } from '@svc-pay/core';
import { createLogger } from '@svc-pay/observe';
import { createTestDatabase, type TestDatabase } from '@svc-pay/postgres/testing';
import { readApiConfig } from '../config.ts';
import { type RunningApi, startApi } from '../start.ts';
import { afterwards } from './afterwards.ts';
import { NETWORKS, PEPPER, type SeededAccount, seedAccount } from './seed-account.ts';

export type TestApi = RunningApi & {
  readonly database: TestDatabase;
  /** Every line that was logged, as text. */
  readonly logs: string[];
  readonly account: SeededAccount;
};

/** Opens what the API under test has sealed. The API has the public half alone. */
const MASTER_KEY: MasterKey = { number: 1, bytes: new Uint8Array(randomBytes(32)) };
export const BOX = createSecretBox([MASTER_KEY]);

export function testEnvironment(databaseUrl: string): Record<string, string> {
  return {
    SVC_DATABASE_URL: databaseUrl,
    SVC_KEY_PEPPER: PEPPER.toString('base64'),
    SVC_SEAL_KEY: `1:${Buffer.from(sealingKeyOf(MASTER_KEY).bytes).toString('base64')}`,
    SVC_NETWORKS: JSON.stringify(NETWORKS),
    SVC_API_PORT: '0',
    SVC_API_METRICS_PORT: '0',
    SVC_API_PUBLIC_URL: 'https://pay.example',
    SVC_API_RATE_LIMITS: 'off',
    SVC_API_MEMORY_MS: '0',
    // Nobody listens there: tests that settle up-to payments bring somebody.
    SVC_SETTLEMENT_URL: 'http://127.0.0.1:9',
    SVC_INTERNAL_KEY: 'internal-key-of-the-tests-internal-key',
  };
}

/** Stopped when the test that asked for it is done; at the top of a file, when the file is. */
export async function startTestApi(environment: Environment = {}, clock: Clock = systemClock): Promise<TestApi> {
  const database = await createTestDatabase();
  const read = readApiConfig({ ...testEnvironment(await openToApi(database)), ...environment });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  const logs: string[] = [];
  const logger = createLogger('api', read.config.logLevel, { write: (line: string) => logs.push(line) });
  const running = await startApi(read.config, { logger, clock });
  afterwards(running.stop);
  return { ...running, database, logs, account: await seedAccount(database.pool) };
}

/** The address of the database for a role of the API's group. */
async function openToApi({ pool, url }: TestDatabase): Promise<string> {
  const [role, password] = [`api_${randomBytes(6).toString('hex')}`, randomBytes(12).toString('hex')];
  await pool.query(`create role ${role} login password '${password}' in role svc_api`);
  afterwards(() => pool.query(`drop role ${role}`));
  const own = new URL(url);
  own.username = role;
  own.password = password;
  return own.href;
}
