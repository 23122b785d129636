// What merchants fear most. Processes die without a word in the middle of 200 payments; nobody does anything but start
// them again, and every payment settles once.
import { expect, test } from 'vitest';
import { ledgerCheck } from './ledger-check.ts';
import { paymentStatuses, prepareMany, richPayers, settleAll, waitFor } from './many-payments.ts';
import { startWorld, type World } from './start-world.ts';

const PAYMENTS = 200;

const CRASHES: Readonly<Record<string, (world: World) => Promise<void>>> = {
  settlement: async ({ settlement }) => {
    await settlement.kill('SIGKILL');
    await settlement.start();
  },
  'the engine': async ({ engine }) => {
    await engine.kill();
    await engine.start();
  },
  both: async ({ settlement, engine }) => {
    await Promise.all([settlement.kill('SIGKILL'), engine.kill()]);
    await Promise.all([settlement.start(), engine.start()]);
  },
  'the engine with all its data': async ({ engine }) => {
    await engine.kill();
    engine.loseData();
    await engine.start();
  },
};

// Replaying after every step costs the same for whatever dies, so the hardest case stands for the others.
const CASES = [
  ...Object.keys(CRASHES).map((what) => ({ what, alwaysReplay: false })),
  { what: 'both', alwaysReplay: true },
];

test.each(CASES)(
  'kill -9 of $what in the middle, replay after every step $alwaysReplay: all 200 settle once',
  async ({ what, alwaysReplay }) => {
    const world = await startWorld({ alwaysReplay, blockTimeSeconds: 0.3, api: { SVC_SETTLE_WAIT_MS: '0' } });
    const calls = await prepareMany(world, await richPayers(world, 20), PAYMENTS);
    const sent = settleAll(world, calls);
    await waitFor(async () => ((await paymentStatuses(world))['completed'] ?? 0) >= 10, 30, 'begun');
    await CRASHES[what]?.(world);
    await sent;
    await waitFor(async () => (await paymentStatuses(world))['completed'] === PAYMENTS, 60, 'all completed');
    expect(await paymentStatuses(world)).toEqual({ completed: PAYMENTS });
    expect(await world.chain.balanceOf(world.chain.tokens.usdc, world.shop.merchant)).toBe(1_330_050n * 200n);
    expect(await ledgerCheck(world)).toMatchObject({ exitCode: 0 });
  },
);
