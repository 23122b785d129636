import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { richPayers, waitFor } from './many-payments.ts';
import { startWorld } from './start-world.ts';
import { confirm, prepareUpto, settleUpto } from './upto-calls.ts';
import type { Payer } from './wallet.ts';

/** Longer than the API caches which networks are withdrawn. */
const FORGOTTEN_MS = 1_500;

test('a processor of another version than configured withdraws the network, and settlement refuses one below 1.3.0 by itself', async () => {
  const world = await startWorld({ processorVersionOfSettlement: '1.2.0' });
  const { pool } = world.database;
  const health = async () => (await pool.query('select offered, reason from svc.network_health')).rows;
  await waitFor(async () => (await health())[0]?.offered === false, 20, 'withdrawn');
  expect(await health()).toEqual([{ offered: false, reason: 'processor_differs' }]);

  // Creates an intent before settlement has reported the network's health.
  await world.settlement.kill('SIGTERM');
  await pool.query('delete from svc.network_health');
  await sleep(FORGOTTEN_MS);
  const [payer] = (await richPayers(world, 1)) as [Payer];
  const call = await prepareUpto(world, payer);
  expect((await confirm(world, call)).body.ok).toBe(true);
  await world.settlement.start();
  const body = { paymentIntentId: call.paymentIntentId, settledAmount: '1' };
  expect(await settleUpto(world, body)).toMatchObject({
    httpStatus: 422,
    body: { error: 'x402_upto_not_available', moneyMoved: 'no' },
  });
  const { rows } = await pool.query('select count(*)::integer as count from svc.settlements');
  expect(rows).toEqual([{ count: 0 }]);

  // While settlement is down, the API cannot know whether an earlier call moved money.
  await world.settlement.kill('SIGTERM');
  expect(await settleUpto(world, body)).toMatchObject({
    httpStatus: 503,
    body: { error: 'service_unavailable', moneyMoved: 'unknown' },
  });
});
