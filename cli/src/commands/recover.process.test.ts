import { createTestDatabase } from '@svc-pay/postgres/testing';
import { expect, test } from 'vitest';
import { callSvc } from '../testing/call-svc.ts';

const { pool, url } = await createTestDatabase();
const processor = `0x${'ee'.repeat(20)}`;
const rpcUrls = ['http://127.0.0.1:9'];
const networks = { 'eip155:84532': { processor, processorVersion: '1.3.0', ready: true, rpcUrls } };
const environment = { SVC_DATABASE_URL: url, SVC_NETWORKS: JSON.stringify(networks), SVC_OPERATOR: 'test' };

test('a backup of an older release is migrated before it is brought up to date', async () => {
  await pool.query("delete from svc.svc_migrations where name like '0028%'");
  const { exitCode, stdout } = await callSvc(environment, 'recover', '--from-chain', '--json');
  expect([exitCode, JSON.parse(stdout)]).toMatchObject([
    1,
    { error: 'migrations_missing', message: expect.stringContaining('0028_open_restores') },
  ]);
});
