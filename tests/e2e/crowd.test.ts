import { expect, test } from 'vitest';
import { chainTrouble } from './chain-trouble.ts';
import { ledgerCheck } from './ledger-check.ts';
import { paymentStatuses, prepareMany, richPayers, settleAll, waitFor } from './many-payments.ts';
import { startWorld } from './start-world.ts';

const PAYMENTS = 500;

test('500 payments at once on 1 s blocks: at most 10 transactions, none fails, nonces without a gap', async () => {
  const world = await startWorld({ blockTimeSeconds: 1, api: { SVC_SETTLE_WAIT_MS: '60000' } });
  const { stopMining, startMining } = chainTrouble(world);
  const calls = await prepareMany(world, await richPayers(world, 50), PAYMENTS);
  // No block until all are accepted: on a slow machine they would otherwise spread over more blocks and transactions.
  await stopMining();
  const settled = settleAll(world, calls);
  await waitFor(async () => (await paymentStatuses(world))['pending'] === PAYMENTS, 60, 'all accepted');
  await startMining();
  const answers = await settled;
  expect(answers.filter(({ status }) => status !== 'succeeded')).toEqual([]);
  expect(await paymentStatuses(world)).toEqual({ completed: PAYMENTS });
  const { rows } = await world.database.pool.query<{ nonce: string; item_count: number }>(
    'select nonce, item_count from svc.batches order by nonce',
  );
  expect(rows.map(({ nonce }) => nonce)).toEqual(rows.map((_, index) => String(index)));
  expect(rows.reduce((sum, { item_count }) => sum + item_count, 0)).toBe(PAYMENTS);
  expect(rows.length).toBeLessThanOrEqual(10);
  expect(await ledgerCheck(world)).toMatchObject({ exitCode: 0 });
});
