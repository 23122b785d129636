import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ledgerCheck } from './ledger-check.ts';
import { paymentStatuses, prepareMany, richPayers, settleAll, waitFor } from './many-payments.ts';
import { startWorld } from './start-world.ts';

const PAYMENTS = 300;
const AT_ONCE = 50;
const MAIN = path.resolve(import.meta.dirname, '../../cli/src/main.ts');

test('300 payments on three relayers, one of them drained in the middle: each settles once, and it retires', async () => {
  const world = await startWorld({ blockTimeSeconds: 0.3, relayers: 3, api: { SVC_SETTLE_WAIT_MS: '0' } });
  const { pool } = world.database;
  const svc = async (...argv: string[]) => {
    const env = world.operatorEnvironment;
    const run = promisify(execFile)(process.execPath, [MAIN, ...argv, '--json'], { env });
    const { stdout } = await run.catch((problem: unknown) => problem as { stdout: string });
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  const calls = await prepareMany(world, await richPayers(world, 30), PAYMENTS);
  const relayersAtWork = async () => (await pool.query('select distinct relayer from svc.batches')).rowCount ?? 0;
  // Sends until all three relayers have a batch, also on a slow machine; some payments are still open at the drain.
  let sent = 0;
  while (sent < PAYMENTS - AT_ONCE && (await relayersAtWork()) < 3) {
    await settleAll(world, calls.slice(sent, sent + AT_ONCE));
    sent += AT_ONCE;
  }
  await waitFor(async () => ((await paymentStatuses(world))['completed'] ?? 0) >= 20, 30, 'begun');
  const drained = world.chain.keys.relayers[1]?.account.address.toLowerCase() ?? '';
  const on = ['--network', world.chain.network];
  expect(await svc('relayers', 'drain', drained, ...on)).toMatchObject({ changed: true });
  const batchesOf = async () =>
    (await pool.query('select from svc.batches where relayer = $1', [drained])).rowCount ?? 0;
  const before = await batchesOf();
  await settleAll(world, calls.slice(sent));
  await waitFor(async () => (await paymentStatuses(world))['completed'] === PAYMENTS, 60, 'all completed');
  // One batch may have been started before the drain took effect.
  expect(await batchesOf()).toBeLessThanOrEqual(before + 1);
  const { rows } = await pool.query('select relayer, count(*)::integer as batches from svc.batches group by relayer');
  expect(rows.length).toBe(3);
  await waitFor(async () => (await svc('relayers', 'retire', drained, ...on))['changed'] === true, 30, 'retired');
  expect(await paymentStatuses(world)).toEqual({ completed: PAYMENTS });
  expect(await world.chain.balanceOf(world.chain.tokens.usdc, world.shop.merchant)).toBe(1_330_050n * 300n);
  expect(await ledgerCheck(world)).toMatchObject({ exitCode: 0 });
});
