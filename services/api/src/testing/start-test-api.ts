// Runs the API in this process as in production: with its own database and only the rights granted to it.
import { randomBytes } from 'node:crypto';
import { type Clock, createSecretBox, type MasterKey, sealingKeyOf, systemClock } from '@svc-pay/core';
import { createLogin, createTestDatabase, type TestDatabase } from '@svc-pay/postgres/testing';
import type { Environment } from '@svc-pay/runtime/config';
import { createLogger } from '@svc-pay/runtime/logging';
import { readApiConfig } from '../config.ts';
import { type RunningApi, startApi } from '../start.ts';
import { afterwards } from './afterwards.ts';
import { NETWORKS, PEPPER, type SeededAccount, seedAccount } from './seed-account.ts';

export type TestApi = RunningApi & {
  readonly database: TestDatabase;
  /** All logged lines. */
  readonly logs: string[];
  readonly account: SeededAccount;
};

/** Opens what the API under test has sealed. The API itself has only the public key. */
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
    SVC_API_CACHE_MS: '0',
    // Nobody listens on this port: tests that settle up-to payments start a settlement service.
    SVC_SETTLEMENT_URL: 'http://127.0.0.1:9',
    SVC_INTERNAL_KEY: 'internal-key-of-the-tests-internal-key',
  };
}

/** Stops after the test that started it or, if started at the top of a file, after the file. */
export async function startTestApi(environment: Environment = {}, clock: Clock = systemClock): Promise<TestApi> {
  const database = await createTestDatabase();
  const login = await createLogin(database.pool, database.url, 'svc_api');
  const read = readApiConfig({ ...testEnvironment(login), ...environment });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  const logs: string[] = [];
  const logger = createLogger('api', read.config.logLevel, { write: (line: string) => logs.push(line) });
  const running = await startApi(read.config, { logger, clock });
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= running.stop());
  afterwards(stop);
  return { ...running, stop, database, logs, account: await seedAccount(database.pool) };
}
