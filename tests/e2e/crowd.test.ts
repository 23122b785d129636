import { expect, test } from 'vitest';
import { ledgerCheck } from './ledger-check.ts';
import { paymentStatuses, prepareMany, richPayers, settleAll } from './many-payments.ts';
import { startWorld } from './start-world.ts';

const PAYMENTS = 500;

test('500 payments at once on 1 s blocks: at most 10 transactions, none fails, nonces without a gap', async () => {
  const world = await startWorld({ blockTimeSeconds: 1 });
  const calls = await prepareMany(world, await richPayers(world, 50), PAYMENTS);
  const answers = await settleAll(world, calls);
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
