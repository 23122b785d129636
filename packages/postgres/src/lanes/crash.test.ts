// Lanes under crashes at every step, and three bugs that were put in on purpose: with each of them the same run must end
// in differences, or this checker could not be trusted with the real thing.
import { type HeldLane, type LaneParts, type LaneStore, laneRound } from '@svc-pay/core';
import { describe, expect, test } from 'vitest';
import { Crash, crashingParts } from '../testing/crashing-parts.ts';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { laneDifferences } from '../testing/lane-differences.ts';
import { createLaneWorld, type LaneWorld } from '../testing/lane-world.ts';

const world = async () => createLaneWorld((await createTestDatabase()).pool);

/** The same numbers for the same seed. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A process after the other works at the lane and dies, until one finds nothing left to do. */
async function workThroughCrashes(lane: LaneWorld, parts: LaneParts, seed: number, maxLives = 400): Promise<number> {
  const draw = numbersFrom(seed);
  const mortal = crashingParts(parts, 0.25, draw);
  for (let life = 1; life <= maxLives; life += 1) {
    try {
      const held = { ...lane.lane, epoch: await mortal.store.takeOver(lane.lane) };
      for (;;) {
        const end = await laneRound(mortal, held);
        if (draw() < 0.5) lane.chain.mine();
        if (end === 'taken_over') throw new Crash('taken over');
        if (end === 'empty' && (await mortal.store.fallAsleep(held))) return life;
      }
    } catch (problem) {
      if (!(problem instanceof Crash)) throw problem;
    }
  }
  return maxLives;
}

test.each([1, 2, 3, 4])(
  'crashes at every step, seed %i: each payment settles once and the books agree',
  async (seed) => {
    const lane = await world();
    const payments = await lane.queue(60);
    const lives = await workThroughCrashes(lane, lane.parts, seed);
    expect(lives).toBeGreaterThan(5);
    expect(await laneDifferences(lane, payments)).toEqual([]);
    expect(await lane.statuses()).toEqual({ completed: 60 });
  },
);

/** The first holder stops right before it stores what it signed, another one does all the work, then the first goes on. */
async function workBesideZombie(lane: LaneWorld, store: LaneStore, payments: number): Promise<readonly string[]> {
  const queued = await lane.queue(payments);
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const zombie: LaneParts = {
    ...lane.parts,
    store: {
      ...store,
      storeBatch: async (held, batch) => {
        reached.resolve();
        await released.promise;
        return store.storeBatch(held, batch);
      },
    },
  };
  const old: HeldLane = { ...lane.lane, epoch: await store.takeOver(lane.lane) };
  const oldRound = laneRound(zombie, old);
  await reached.promise;
  const young: HeldLane = { ...lane.lane, epoch: await store.takeOver(lane.lane) };
  await laneRound({ ...lane.parts, store }, young);
  released.resolve();
  await oldRound;
  lane.chain.mine();
  for (let round = 0; round < 20; round += 1) {
    await laneRound({ ...lane.parts, store }, young);
    lane.chain.mine();
  }
  return queued;
}

test('an old attempt that goes on beside the new one changes nothing', async () => {
  const lane = await world();
  const payments = await workBesideZombie(lane, lane.store, 30);
  expect(await laneDifferences(lane, payments)).toEqual([]);
  expect(await lane.statuses()).toEqual({ completed: 30 });
});

describe('bugs put in on purpose are found', () => {
  test('without the fence the last writer wins, and payments that were taken are lost', async () => {
    const lane = await world();
    await lane.pool.query('drop index svc.batches_nonce');
    const payments = await workBesideZombie(lane, unfenced(lane), 30);
    expect(await laneDifferences(lane, payments)).not.toEqual([]);
  });

  test('signing again instead of sending again: what was on its way is lost', async () => {
    const lane = await world();
    const payments = await lane.queue(60);
    await workThroughCrashes(lane, { ...lane.parts, store: signingAgain(lane) }, 1, 60);
    expect(await laneDifferences(lane, payments)).not.toEqual([]);
  });

  test('recording before the receipt: payments are completed that were never taken', async () => {
    const lane = await world();
    const payments = await lane.queue(60);
    for (const bad of payments.slice(0, 3)) lane.chain.spoil(bad, 'insufficient_funds', 'mined');
    await workThroughCrashes(lane, recordingEarly(lane), 1);
    expect(await laneDifferences(lane, payments)).not.toEqual([]);
  });
});

/** Stores whatever it is given, for whoever comes. */
function unfenced({ pool, store }: LaneWorld): LaneStore {
  return {
    ...store,
    storeBatch: async ({ network, relayer, epoch }, { id, nonce, signed, items }) => {
      await pool.query('update svc.relayers set next_nonce = $1', [String(nonce + 1n)]);
      await pool.query(
        `insert into svc.batches (id, network, relayer, mode, nonce, epoch, status, item_count, transaction_id, created_at, updated_at)
         values ($1, $2, $3, 'test', $4, $5, 'signed', $6, $7, now(), now())`,
        [id, network, relayer, String(nonce), String(epoch), items.length, signed.transactionId],
      );
      await pool.query(
        `insert into svc.batch_transactions (network, transaction_id, batch_id, mode, raw_transaction, created_at)
         values ($1, $2, $3, 'test', $4, now())`,
        [network, signed.transactionId, id, signed.raw],
      );
      await pool.query(
        "update svc.settlements set status = 'batched', relayer = $1, batch_id = $2 where payment_id = any ($3)",
        [relayer, id, items.map(({ paymentId }) => paymentId)],
      );
      return true;
    },
  };
}

/** A new holder forgets what flies and lets it be signed anew. */
function signingAgain({ pool, store }: LaneWorld): LaneStore {
  return {
    ...store,
    takeOver: async (lane) => {
      await pool.query("update svc.batches set status = 'replaced' where status in ('signed', 'broadcast')");
      await pool.query(
        "update svc.settlements set status = 'queued', relayer = null, batch_id = null where status = 'batched'",
      );
      return store.takeOver(lane);
    },
  };
}

/** Takes a transaction that was sent for one that was mined. */
function recordingEarly({ parts }: LaneWorld): LaneParts {
  return {
    ...parts,
    chain: {
      ...parts.chain,
      findMined: async (batches) =>
        batches.map(({ id, items, transactions }) => ({
          batchId: id,
          transactionId: transactions[0]?.transactionId ?? '',
          blockNumber: 1n,
          blockHash: '0xb1',
          confirmations: 1n,
          reverted: false,
          gasCostAtomic: 1n,
          feeRecipient: `0x${'fe'.repeat(20)}`,
          items: items.map(({ paymentId, settledAtomic, payout }, index) => ({
            paymentId,
            outcome: 'settled' as const,
            logIndex: index,
            transferLogIndex: index,
            feeAtomic: (settledAtomic * BigInt(payout.feeBps)) / 10_000n,
            escrowedFor: [],
          })),
        })),
    },
  };
}
