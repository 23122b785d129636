import { expect, test } from 'vitest';
import { richPayers } from './many-payments.ts';
import { startWorld } from './start-world.ts';
import { confirm, prepareUpto, settleUpto } from './upto-calls.ts';
import type { Payer } from './wallet.ts';

test('settlement refuses a processor below 1.3.0 by itself, whatever the API believes', async () => {
  const world = await startWorld({ processorVersionOfSettlement: '1.2.0' });
  const [payer] = (await richPayers(world, 1)) as [Payer];
  const call = await prepareUpto(world, payer);
  expect((await confirm(world, call)).body.ok).toBe(true);
  const body = { paymentIntentId: call.paymentIntentId, settledAmount: '1' };
  expect(await settleUpto(world, body)).toMatchObject({
    httpStatus: 422,
    body: { error: 'x402_upto_not_available', moneyMoved: 'no' },
  });
  const { rows } = await world.database.pool.query('select count(*)::integer as count from svc.settlements');
  expect(rows).toEqual([{ count: 0 }]);

  // With nobody to ask, the API can't know what an earlier call may have moved.
  await world.settlement.kill('SIGTERM');
  expect(await settleUpto(world, body)).toMatchObject({
    httpStatus: 503,
    body: { error: 'service_unavailable', moneyMoved: 'unknown' },
  });
});
