import { expect, test } from 'vitest';
import { ledgerCheck } from './ledger-check.ts';
import { describeLanes, paymentStatuses, prepareMany, richPayers, settleAll, waitFor } from './many-payments.ts';
import { startWorld } from './start-world.ts';
import type { SettleResult } from './wallet.ts';

const PAYMENTS = 500;
/** A transaction holds at most 200, and some fewer by its gas. */
const TRANSACTIONS = 3;

test('500 payments at once: three transactions, none fails, nonces without a gap', async () => {
  const world = await startWorld({ blockTimeSeconds: 1, api: { SVC_SETTLE_WAIT_MS: '60000' } });
  const calls = await prepareMany(world, await richPayers(world, 50), PAYMENTS);
  // No lane works until all are accepted: a slow machine accepts them over seconds, and payments that come one after the other
  // leave in more transactions.
  await world.settlement.kill('SIGTERM');
  const settled = settleAll(world, calls);
  const tell = () => describeLanes(world);
  await waitFor(async () => (await paymentStatuses(world))['pending'] === PAYMENTS, 45, 'all accepted', tell);
  await world.settlement.start();
  await waitFor(async () => (await paymentStatuses(world))['completed'] === PAYMENTS, 60, 'all completed', tell);
  const told = async (answers: Promise<readonly SettleResult[]>) =>
    new Set((await answers).map(({ status }) => status));
  // On a slow machine somebody waits longer than the API lets anybody wait, and hears it when asking again.
  expect(await told(settled)).not.toContain('failed');
  expect(await told(settleAll(world, calls))).toEqual(new Set(['succeeded']));
  const { rows } = await world.database.pool.query<{ nonce: string; item_count: number }>(
    'select nonce, item_count from svc.batches order by nonce',
  );
  expect(rows.map(({ nonce }) => nonce)).toEqual(Array.from({ length: TRANSACTIONS }, (_, index) => String(index)));
  expect(rows.reduce((sum, { item_count }) => sum + item_count, 0)).toBe(PAYMENTS);
  expect(await ledgerCheck(world)).toMatchObject({ exitCode: 0 });
});
