// Runs the admin service in this process as in production: with the rights of svc_admin and no more.
import { randomBytes } from 'node:crypto';
import { type MasterKey, sealingKeyOf } from '@svc-pay/core';
import { createLogin, type TestDatabase } from '@svc-pay/postgres/testing';
import { createLogger } from '@svc-pay/runtime/logging';
import { afterAll } from 'vitest';
import { readAdminConfig } from '../config.ts';
import { startAdmin } from '../start.ts';

/** Opens what the service has sealed. It has only the public key. */
export const MASTER_KEY: MasterKey = { number: 1, bytes: randomBytes(32) };

/** Stops after the file. */
export async function startTestAdmin({ pool, url }: TestDatabase, pepper: Uint8Array) {
  const read = readAdminConfig({
    SVC_DATABASE_URL: await createLogin(pool, url, 'svc_admin'),
    SVC_KEY_PEPPER: Buffer.from(pepper).toString('base64'),
    SVC_SEAL_KEY: `1:${Buffer.from(sealingKeyOf(MASTER_KEY).bytes).toString('base64')}`,
    SVC_ADMIN_PORT: '0',
  });
  if (!read.ok) throw new Error(read.problems.join('\n'));
  const logs: string[] = [];
  const logger = createLogger('admin', 'info', { write: (line: string) => logs.push(line) });
  const running = await startAdmin(read.config, { logger });
  afterAll(() => running.stop());
  return { url: running.url, logs };
}
