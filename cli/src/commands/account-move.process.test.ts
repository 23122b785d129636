import { createTestDatabase } from '@svc-pay/postgres/testing';
import { expect, test } from 'vitest';
import { askSvc, callSvc } from '../testing/call-svc.ts';
import { svcEnvironment } from '../testing/run-svc.ts';

test('accounts move says what is open, what differs between the cells, and that the account has moved', async () => {
  const [here, there] = [await createTestDatabase(), await createTestDatabase()];
  const environment: Record<string, string> = { ...svcEnvironment(here.url), SVC_TARGET_DATABASE_URL: there.url };
  const made = await askSvc(environment, 'accounts', 'create', '--name', 'A shop');
  const { account } = made.document as { account: { id: string } };
  const move = (...more: string[]) => callSvc(environment, 'accounts', 'move', '--account', account.id, ...more);

  const alone = await callSvc(
    { ...environment, SVC_TARGET_DATABASE_URL: '' },
    'accounts',
    'move',
    '--account',
    account.id,
  );
  expect([alone.exitCode, alone.stderr]).toEqual([1, expect.stringContaining('SVC_TARGET_DATABASE_URL')]);
  await there.pool.query('update svc.installation set id = gen_random_uuid()');
  expect((await move()).stderr).toContain('different installation ids');
  const { rows } = await here.pool.query<{ id: string }>('select id from svc.installation');
  await there.pool.query('update svc.installation set id = $1', [rows[0]?.id]);
  expect((await move()).stderr).toContain('has no API key to compare');
  await askSvc({ ...environment, SVC_DATABASE_URL: there.url }, 'accounts', 'create', '--name', 'Operator');

  await here.pool.query(
    `insert into svc.payments (account_id, mode, id, intent_id, status, network, token_shortcode, asset, amount, created_at, updated_at)
     values ($1, 'test', 'pay_open', 'pi_open', 'pending', 'eip155:84532', 'basesepolia_usdc', '0x01', 5, now(), now())`,
    [account.id],
  );
  const waits = await move();
  expect(waits.exitCode).toBe(1);
  expect(waits.stdout).toMatch(/1 +payments without a result +lanes settle them/);
  expect((await move('--abort')).stdout).toContain('takes requests here again');
  await here.pool.query("update svc.payments set status = 'failed', failure_code = 'expired'");
  expect(await askSvc(environment, 'accounts', 'move', '--account', account.id)).toMatchObject({
    exitCode: 0,
    document: { accountId: account.id, changed: true },
  });
  expect((await move()).stdout).toContain('has moved before');
  expect((await move('--abort')).exitCode).toBe(1);
  const all = JSON.stringify([alone, waits]);
  expect(all).not.toContain(there.url);
});
