// A lane with its own database and a fake chain. The test calls its rounds.
import {
  type Caller,
  type Lane,
  type LaneDeps,
  type LaneLease,
  type LaneStore,
  laneRound,
  systemClock,
} from '@svc-pay/core';
import { evmNetwork } from '@svc-pay/protocol';
import type pg from 'pg';
import { createLaneStore } from '../lane/lane-store.ts';
import { registerRelayer } from '../lane/relayers.ts';
import { createFakeChain, type FakeChain } from './fake-chain.ts';
import { queuePayment } from './queue-payment.ts';
import { seedMerchant } from './seed-merchant.ts';

export type LaneWorld = {
  readonly pool: pg.Pool;
  readonly lane: Lane;
  /** Account and mode of the payments. */
  readonly caller: Caller;
  readonly chain: FakeChain;
  readonly store: LaneStore;
  readonly deps: LaneDeps;
  readonly queue: (count: number) => Promise<readonly string[]>;
  readonly takeLease: () => Promise<LaneLease>;
  /** Runs rounds, and mines between them, until nothing is left to do. */
  readonly settle: (deps?: LaneDeps) => Promise<void>;
  readonly statuses: () => Promise<Readonly<Record<string, number>>>;
};

export const FIRST_NONCE = 7n;
const REST_MS = 25_000;

export async function createLaneWorld(pool: pg.Pool, relayer = `0x${'5e'.repeat(20)}`): Promise<LaneWorld> {
  const lane: Lane = { network: evmNetwork(84_532), relayer };
  const chain = createFakeChain(FIRST_NONCE);
  const store = createLaneStore(pool, { clock: systemClock, gasCoinRate: () => undefined });
  await registerRelayer(pool, { ...lane, mode: 'test', duty: 'settle' }, chain.minedNonce, Date.now());
  const deps: LaneDeps = {
    store,
    chain,
    clock: systemClock,
    pace: { maxInFlight: 4, gatherMs: 0, pollMs: 0, resendMs: 50, linkMs: 0, bumpMs: 60_000, deferMs: 0, troubleMs: 0 },
    log: () => {},
  };
  const caller = await seedMerchant(pool, { tokens: ['basesepolia_usdc'] });
  const takeLease = async () => ({ ...lane, epoch: await store.takeOver(lane) });
  return {
    pool,
    lane,
    caller,
    chain,
    store,
    deps,
    takeLease,
    queue: async (count) => {
      const queued: string[] = [];
      for (let index = 0; index < count; index += 1) queued.push((await queuePayment(pool, caller)).paymentId);
      return queued;
    },
    settle: async (given = deps) => {
      const lease = await takeLease();
      // A round that finds nothing takes no time, so that a number of rounds is no limit on a machine that is busy.
      for (const untilMs = Date.now() + REST_MS; Date.now() < untilMs; ) {
        const end = await laneRound(given, lease);
        chain.mine();
        if (end === 'empty' && (await given.store.fallAsleep(lease))) return;
        if (end === 'taken_over') throw new Error('the lane was taken over');
      }
      throw new Error('the lane never came to rest');
    },
    statuses: async () => {
      const { rows } = await pool.query<{ status: string; count: number }>(
        'select status, count(*)::integer as count from svc.payments group by status',
      );
      return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
    },
  };
}
