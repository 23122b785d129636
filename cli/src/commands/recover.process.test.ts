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

const recover = async (...given: string[]) => {
  const { exitCode, stdout } = await callSvc(environment, 'recover', ...given, '--json');
  return [exitCode, JSON.parse(stdout)];
};

test('a misspelt relayer is refused before anything is noted', async () => {
  const network = ['--network', 'solana:mainnet', '--from-block', '5'];
  const [, refused] = await recover(
    '--from-chain',
    ...network,
    '--relayer',
    '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosg',
  );
  expect(refused).toMatchObject({ message: expect.stringContaining('is no Solana address') });
});

test('an operator accepts what a restore has left open, with a reason', async () => {
  await pool.query(
    `insert into svc.open_restores (network, from_block, opened_at, updated_at) values ('eip155:84532', 7, now(), now())`,
  );
  const accept = ['--accept-open', 'eip155:84532'];
  expect(await recover(...accept)).toMatchObject([64, { message: expect.stringContaining('--reason') }]);
  expect(await recover(...accept, '--reason', 'known', '--from-chain')).toMatchObject([64, {}]);
  const accepted = { network: 'eip155:84532', fromBlock: '7', reason: 'known' };
  expect(await recover(...accept, '--reason', 'known')).toMatchObject([0, accepted]);
  expect(await recover(...accept, '--reason', 'known')).toMatchObject([1, { error: 'nothing_open' }]);
});
