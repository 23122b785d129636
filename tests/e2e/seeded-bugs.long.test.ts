// Deliberate bugs in real processes on a real chain. The crash tests and the ledger check must find each of them;
// otherwise a run without findings would prove nothing.
import { expect, test } from 'vitest';
import {
  allIsWell,
  api,
  completed,
  payBetweenRivals,
  payInTheMiddleOf,
  RIVALS,
  withBug,
} from './pay-between-rivals.ts';
import { startWorld } from './start-world.ts';

/** The missing fence does harm only if two processes work on one batch: most runs find it, but not every run. */
const TRIES = 6;

test('the fence removed is found: between rivals payments are lost', async () => {
  for (let tries = 1; tries <= TRIES; tries += 1) {
    const world = await startWorld({ ...RIVALS, settlementProgram: withBug('withoutFence') });
    await world.database.pool.query('drop index svc.batches_nonce');
    await payBetweenRivals(world);
    const well = await allIsWell(world, 15);
    await world.stop();
    if (!well) return;
  }
  expect.unreachable(`${TRIES} runs were well without a fence`);
});

test('the fence removed is not missed by a settlement without a rival', async () => {
  const world = await startWorld({ blockTimeSeconds: 0.3, api, settlementProgram: withBug('withoutFence') });
  await world.database.pool.query('drop index svc.batches_nonce');
  await payBetweenRivals(world);
  expect(await allIsWell(world, 60)).toBe(true);
});

test('signing again instead of sending again is found', async () => {
  const world = await startWorld({ blockTimeSeconds: 1, api, settlementProgram: withBug('signingAgain') });
  await payInTheMiddleOf(world, async () => {
    await world.settlement.kill('SIGKILL');
    await world.settlement.start();
  });
  expect(await allIsWell(world, 15)).toBe(false);
  const { rows } = await world.database.pool.query("select from svc.settlements where status = 'held'");
  expect(rows.length).toBeGreaterThan(0);
});

test('recording before the receipt is found', async () => {
  const world = await startWorld({ blockTimeSeconds: 1, api, settlementProgram: withBug('recordingEarly') });
  await payInTheMiddleOf(world, async () => {});
  expect(await allIsWell(world, 15)).toBe(false);
  expect(await completed(world)).toBeGreaterThan(0);
});
