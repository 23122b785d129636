// Bugs put in on purpose, in real processes on a real chain. The crash tests and the ledger check must find each of them,
// or they could not be trusted when they find nothing.
import path from 'node:path';
import { LANE_DRAIN } from '@svc-pay/core';
import { createWakeDrain } from '@svc-pay/engine/wake';
import { expect, test } from 'vitest';
import { ledgerCheck } from './ledger-check.ts';
import { paymentStatuses, prepareMany, richPayers, settleAll, waitFor } from './many-payments.ts';
import { startWorld, type World } from './start-world.ts';

const PAYMENTS = 60;
const withBug = (name: string) => [path.join(import.meta.dirname, 'settlement-with-bug.ts'), name];
const api = { SVC_SETTLE_WAIT_MS: '0' };

const completed = async (world: World) => (await paymentStatuses(world))['completed'] ?? 0;

/**
 * What the crash tests ask at the end: everything completed, and the books in agreement with the chain. And that nothing
 * had to be mended on the way, because watchers mend much: no payment was taken back, no nonce was given out twice or
 * given up, and no holder wrote after it was replaced.
 */
async function allIsWell(world: World, seconds: number): Promise<boolean> {
  const settled = waitFor(async () => (await completed(world)) === PAYMENTS, seconds, 'all completed');
  const done = await settled.then(
    () => true,
    () => false,
  );
  return done && (await ledgerCheck(world)).exitCode === 0 && (await nothingWasMended(world));
}

async function nothingWasMended({ database }: World): Promise<boolean> {
  const { rows } = await database.pool.query<{ mended: boolean }>(
    `select exists (select from svc.ledger_entries where reverses is not null)
       or exists (select from svc.batches where status = 'replaced')
       or exists (
         select from svc.batches one join svc.batches other on other.relayer = one.relayer and other.id <> one.id
         where other.nonce = one.nonce or (other.nonce > one.nonce and other.epoch < one.epoch)
       ) as mended`,
  );
  return rows[0]?.mended === false;
}

async function payInTheMiddleOf(world: World, crash: () => Promise<void>): Promise<void> {
  const calls = await prepareMany(world, await richPayers(world, 10), PAYMENTS);
  const sent = settleAll(world, calls);
  await waitFor(async () => (await batchCount(world)) > 0, 30, 'begun');
  await crash();
  await sent;
}

async function batchCount({ database }: World): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>('select count(*)::integer as count from svc.batches');
  return rows[0]?.count ?? 0;
}

const RIVALS = { rival: true, blockTimeSeconds: 0.3, api, settlement: { SVC_SETTLEMENT_GATHER_MS: '10' } } as const;

/** Both engines are told over and over that the lane has work, so that its holder changes all the time. */
async function payBetweenRivals(world: World): Promise<void> {
  const { engine, rivalEngine, chain } = world;
  const relayer = chain.keys.relayers[0]?.account.address.toLowerCase() ?? '';
  const lane = `${chain.network}/${relayer}`;
  const ending = new AbortController();
  const paying = payInTheMiddleOf(world, async () => {}).finally(() => ending.abort());
  while (!ending.signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    for (const { ingressUrl } of rivalEngine === undefined ? [] : [engine, rivalEngine]) {
      await createWakeDrain([ingressUrl])(LANE_DRAIN, lane);
    }
  }
  await paying;
}

test('two settlements with one key on two engines: the database alone keeps them apart, and all is well', async () => {
  const world = await startWorld(RIVALS);
  await payBetweenRivals(world);
  expect(await allIsWell(world, 60)).toBe(true);
  const { rows } = await world.database.pool.query("select epoch from svc.relayers where duty = 'settle'");
  expect(Number(rows[0].epoch)).toBeGreaterThan(20);
});

test('the fence removed is found: alone it is not missed, between rivals payments are lost', async () => {
  const program = { settlementProgram: withBug('withoutFence') };
  for (const [options, well] of [
    [{ blockTimeSeconds: 0.3, api }, true],
    [RIVALS, false],
  ] as const) {
    const world = await startWorld({ ...options, ...program });
    await world.database.pool.query('drop index svc.batches_nonce');
    await payBetweenRivals(world);
    expect(await allIsWell(world, 15)).toBe(well);
  }
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
