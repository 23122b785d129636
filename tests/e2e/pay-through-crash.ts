// Processes are killed in the middle of 200 payments. The test only restarts them, and every payment must settle
// exactly once.
import { expect } from 'vitest';
import { chainTrouble } from './chain-trouble.ts';
import { ledgerCheck } from './ledger-check.ts';
import { describeLanes, paymentStatuses, prepareMany, richPayers, settleAll, waitFor } from './many-payments.ts';
import { startWorld, type World } from './start-world.ts';

const PAYMENTS = 200;
/** Payments accepted while no block is mined, so that they are surely open at the kill. */
const OPEN_FOR_SURE = 20;

export type Crash = {
  readonly kill: (world: World) => Promise<unknown>;
  readonly start: (world: World) => Promise<unknown>;
};

export const CRASHES = {
  settlement: {
    kill: ({ settlement }) => settlement.kill('SIGKILL'),
    start: ({ settlement }) => settlement.start(),
  },
  'the engine': {
    kill: ({ engine }) => engine.kill(),
    start: ({ engine }) => engine.start(),
  },
  both: {
    kill: ({ settlement, engine }) => Promise.all([settlement.kill('SIGKILL'), engine.kill()]),
    start: ({ settlement, engine }) => Promise.all([settlement.start(), engine.start()]),
  },
  'the engine with all its data': {
    kill: ({ engine }) => engine.kill(),
    start: async ({ engine }) => {
      engine.loseData();
      await engine.start();
    },
  },
} satisfies Record<string, Crash>;

/** `alwaysReplay`: the engine ends the invocation after each step and replays it. */
export async function expectAllSettleOnce(crash: Crash, alwaysReplay: boolean): Promise<void> {
  const world = await startWorld({ alwaysReplay, blockTimeSeconds: 0.3, api: { SVC_SETTLE_WAIT_MS: '0' } });
  const { node, pending, stopMining, startMining } = chainTrouble(world);
  const completed = async () => (await paymentStatuses(world))['completed'] ?? 0;
  const tell = () => describeLanes(world);
  const calls = await prepareMany(world, await richPayers(world, 20), PAYMENTS);
  const [early, middle, late] = [calls.slice(0, 80), calls.slice(80, -OPEN_FOR_SURE), calls.slice(-OPEN_FOR_SURE)];
  await settleAll(world, early);
  await waitFor(async () => (await completed()) >= 10, 30, 'begun', tell);
  await stopMining();
  const sent = settleAll(world, middle);
  await waitFor(async () => (await pending()).length > 0, 30, 'in the pool', tell);
  // Settlement records this block while the last payments arrive and the kill happens.
  await node.mine({ blocks: 1 });
  await settleAll(world, late);
  await crash.kill(world);
  const atKill = await paymentStatuses(world);
  expect(atKill['completed']).toBeGreaterThanOrEqual(10);
  expect(atKill['pending']).toBeGreaterThanOrEqual(OPEN_FOR_SURE);
  await Promise.all([startMining(), crash.start(world)]);
  await sent;
  await waitFor(async () => (await completed()) === PAYMENTS, 60, 'all completed', tell);
  expect(await paymentStatuses(world)).toEqual({ completed: PAYMENTS });
  expect(await world.chain.balanceOf(world.chain.tokens.usdc, world.shop.merchant)).toBe(1_330_050n * 200n);
  expect(await ledgerCheck(world)).toMatchObject({ exitCode: 0 });
}
