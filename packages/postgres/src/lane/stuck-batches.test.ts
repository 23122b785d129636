// Stuck lanes: transactions that are too cheap or lost, nonces used by others, reverted batches, a processor that
// refuses. Each payment ends in the right status, also with crashes at every step.
import { type LaneDeps, type LaneStore, laneRound, outcomesOf } from '@svc-pay/core';
import { describe, expect, test } from 'vitest';
import { loadAgeingBatches, recordFinal } from '../finality/finalize-batches.ts';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { laneDifferences } from '../testing/lane-differences.ts';
import { createLaneWorld, FIRST_NONCE, type LaneWorld } from '../testing/lane-world.ts';
import { workThroughCrashes } from '../testing/work-through-crashes.ts';

const world = async () => createLaneWorld((await createTestDatabase()).pool);
const hasty = ({ deps }: LaneWorld, pace: Partial<LaneDeps['pace']> = {}): LaneDeps => ({
  ...deps,
  pace: { ...deps.pace, resendMs: 0, bumpMs: 0, ...pace },
});
/** A round with four pending batches makes twenty calls. With a higher share no round would finish without a crash. */
const OFTEN = { share: 0.08 };
const column = async ({ pool }: LaneWorld, query: string) =>
  (await pool.query(query)).rows.map((row) => Object.values(row)[0]);
const rounds = async (lane: LaneWorld, deps: LaneDeps, count: number) => {
  const lease = await lane.takeLease();
  const ends: string[] = [];
  for (let round = 0; round < count; round += 1) ends.push(await laneRound(deps, lease));
  return ends;
};
/** Finalizes all mined batches without a reorg. */
async function finalize(lane: LaneWorld): Promise<void> {
  lane.chain.finalize();
  for (const batch of await loadAgeingBatches(lane.pool, lane.lane.network, 10_000n, 100)) {
    const pendingBatch = { id: batch.id, nonce: 0n, status: 'broadcast', sentAtMs: 0, items: batch.openItems } as const;
    const transactions = [{ transactionId: batch.transactionId, raw: new Uint8Array() }];
    const [mined] = await lane.chain.findMined([{ ...pendingBatch, transactions }]);
    if (mined !== undefined) await recordFinal(lane.pool, batch, outcomesOf(batch, mined), Date.now());
  }
}
const oneCallPerNonce = ({ chain }: LaneWorld) => [...chain.callsUnder().values()].every((calls) => calls.size === 1);

describe('fees', () => {
  test('a transaction that is too cheap is followed by dearer ones under its nonce, with the same call', async () => {
    const lane = await world();
    const payments = await lane.queue(30);
    lane.chain.demandFee(200);
    await lane.settle(hasty(lane));
    expect(await lane.statuses()).toEqual({ completed: 30 });
    const sent = await column(lane, 'select count(*)::integer from svc.batch_transactions group by batch_id');
    expect(Math.max(...sent.map(Number))).toBeGreaterThan(5);
    expect(oneCallPerNonce(lane)).toBe(true);
    expect(await laneDifferences(lane, payments)).toEqual([]);
  });

  test('past the ceiling nothing dearer is signed; when the price falls what is there goes through', async () => {
    const lane = await world();
    const payments = await lane.queue(3);
    lane.chain.demandFee(1_000);
    const lease = await lane.takeLease();
    for (let round = 0; round < 40; round += 1) {
      await laneRound(hasty(lane), lease);
      lane.chain.mine();
    }
    expect(await column(lane, 'select count(*)::integer from svc.batch_transactions')).toEqual([12]);
    expect(await lane.statuses()).toEqual({ pending: 3 });
    lane.chain.demandFee(0);
    await lane.settle(hasty(lane));
    expect(await laneDifferences(lane, payments)).toEqual([]);
  });

  test('the cheap one may be mined after all, and the payment is completed by it once', async () => {
    const lane = await world();
    const payments = await lane.queue(2);
    const lease = await lane.takeLease();
    await laneRound(hasty(lane), lease);
    await laneRound(hasty(lane), lease);
    const stored = await column(
      lane,
      "select encode(raw_transaction, 'hex') from svc.batch_transactions order by created_at",
    );
    expect(stored.length).toBe(2);
    lane.chain.emptyPool();
    await lane.chain.broadcast(Buffer.from(String(stored[0]), 'hex'));
    lane.chain.mine();
    await lane.settle(hasty(lane));
    expect(await laneDifferences(lane, payments)).toEqual([]);
    expect(
      await column(
        lane,
        'select distinct transaction_id = (select transaction_id from svc.batch_transactions order by created_at limit 1) from svc.batches',
      ),
    ).toEqual([true]);
  });

  test.each([1, 3])('crashes at every step while everything is too cheap, seed %i', async (seed) => {
    const lane = await world();
    const payments = await lane.queue(40);
    lane.chain.demandFee(150);
    expect(await workThroughCrashes(lane, hasty(lane), seed, OFTEN)).toBeGreaterThan(5);
    expect(await laneDifferences(lane, payments)).toEqual([]);
    expect(oneCallPerNonce(lane)).toBe(true);
    expect(await lane.statuses()).toEqual({ completed: 40 });
  });

  test('a bug put in on purpose is found: a dearer transaction that is sent and not stored', async () => {
    const lane = await world();
    const payments = await lane.queue(10);
    lane.chain.demandFee(150);
    const forgetful: LaneStore = { ...lane.store, storeTransaction: async () => true };
    const lease = await lane.takeLease();
    for (let round = 0; round < 40; round += 1) {
      await laneRound({ ...hasty(lane), store: forgetful }, lease);
      lane.chain.demandFee(round < 20 ? 110 : 0);
      lane.chain.mine();
    }
    expect(await laneDifferences(lane, payments)).not.toEqual([]);
  });
});

describe('nonces', () => {
  test('transactions that the node’s pool lost are broadcast again, the lowest nonce first, without a gap', async () => {
    const lane = await world();
    const payments = await lane.queue(40);
    await rounds(lane, hasty(lane, { bumpMs: 60_000 }), 3);
    lane.chain.emptyPool();
    await lane.settle(hasty(lane, { bumpMs: 60_000 }));
    expect(await lane.statuses()).toEqual({ completed: 40 });
    expect(await laneDifferences(lane, payments)).toEqual([]);
  });

  test('a nonce that somebody else used: its payments go again when that is final, and not before', async () => {
    const lane = await world();
    const payments = await lane.queue(5);
    const deps = hasty(lane, { bumpMs: 60_000 });
    const lease = await lane.takeLease();
    await laneRound(deps, lease);
    lane.chain.useNonceElsewhere();
    for (let round = 0; round < 5; round += 1) await laneRound(deps, lease);
    expect(await column(lane, 'select distinct status from svc.batches')).toEqual(['broadcast']);
    lane.chain.finalize();
    await lane.settle(deps);
    expect(await column(lane, 'select status from svc.batches order by nonce')).toEqual(['replaced', 'mined']);
    expect(await lane.statuses()).toEqual({ completed: 5 });
    expect(await laneDifferences(lane, payments)).toEqual([]);
  });

  test.each([1, 3])('nonces used by others and crashes at every step, seed %i', async (seed) => {
    const lane = await world();
    const payments = await lane.queue(40);
    let mined = 0;
    await workThroughCrashes(lane, hasty(lane), seed, {
      ...OFTEN,
      between: () => {
        mined += 1;
        if (mined % 7 === 0) lane.chain.useNonceElsewhere();
        lane.chain.finalize();
      },
    });
    expect(await lane.statuses()).toEqual({ completed: 40 });
    const differences = await laneDifferences(lane, payments);
    // Nonces that others used while no batch was pending are not the lane's.
    expect(differences.filter((text) => !text.includes('follows'))).toEqual([]);
  });

  test('used elsewhere while nothing flies: the lane goes on behind it', async () => {
    const lane = await world();
    lane.chain.setNonce(FIRST_NONCE + 5n);
    await lane.queue(2);
    await lane.settle();
    expect(await column(lane, 'select nonce from svc.batches')).toEqual([String(FIRST_NONCE + 5n)]);
    expect(await lane.statuses()).toEqual({ completed: 2 });
  });

  test('a chain that is behind with nothing in flight stops the lane by name, and agreement frees it', async () => {
    const lane = await world();
    await lane.queue(2);
    lane.chain.setNonce(FIRST_NONCE - 3n);
    expect(await rounds(lane, lane.deps, 2)).toEqual(['blocked', 'blocked']);
    expect(await column(lane, 'select obstacle from svc.relayers')).toEqual(['nonce_behind']);
    expect(await column(lane, 'select count(*)::integer from svc.batches')).toEqual([0]);
    lane.chain.setNonce(FIRST_NONCE);
    await lane.settle();
    expect(await column(lane, 'select obstacle from svc.relayers')).toEqual([null]);
    expect(await lane.statuses()).toEqual({ completed: 2 });
  });

  test('a gap beneath what flies stops the lane by name: nothing new goes behind it', async () => {
    const lane = await world();
    await lane.queue(2);
    const lease = await lane.takeLease();
    await laneRound(hasty(lane), lease);
    lane.chain.setNonce(FIRST_NONCE - 1n);
    await lane.queue(2);
    for (let round = 0; round < 3; round += 1) expect(await laneRound(hasty(lane), lease)).toBe('blocked');
    expect(await column(lane, 'select obstacle from svc.relayers')).toEqual(['nonce_gap']);
    expect(await column(lane, 'select count(*)::integer from svc.batches')).toEqual([1]);
    lane.chain.setNonce(FIRST_NONCE);
    await lane.settle(hasty(lane));
    expect(await lane.statuses()).toEqual({ completed: 4 });
  });
});

describe('halves', () => {
  test('a batch that reverts as a whole goes again in halves, down to what the chain takes', async () => {
    const lane = await world();
    const payments = await lane.queue(25);
    lane.chain.revertAbove(4);
    for (let final = 0; final < 6; final += 1) {
      await lane.settle();
      await finalize(lane);
    }
    expect(await lane.statuses()).toEqual({ completed: 25 });
    expect(await laneDifferences(lane, payments)).toEqual([]);
    const { rows } = await lane.pool.query(
      'select max(item_count) as largest from svc.batches b where exists (select from svc.payments p where p.transaction_id = b.transaction_id)',
    );
    expect(rows).toEqual([{ largest: 3 }]);
  });

  test.each([1, 2])('whole batches that revert, and crashes at every step, seed %i', async (seed) => {
    const lane = await world();
    const payments = await lane.queue(30);
    lane.chain.revertAbove(6);
    for (let final = 0; final < 6; final += 1) {
      await workThroughCrashes(lane, hasty(lane), seed + final, OFTEN);
      await finalize(lane);
    }
    expect(await lane.statuses()).toEqual({ completed: 30 });
    expect(await laneDifferences(lane, payments)).toEqual([]);
  });

  test.each(['over_cap', 'not_enough_gas'] as const)(
    '%s is healed by fewer payments in one transaction',
    async (cause) => {
      const lane = await world();
      const payments = await lane.queue(40);
      lane.chain.refuseWhole((items) => (items.length > 5 ? cause : undefined));
      await lane.settle();
      expect(await lane.statuses()).toEqual({ completed: 40 });
      expect(await laneDifferences(lane, payments)).toEqual([]);
    },
  );

  test('a payment that alone is refused waits without blocking those behind it, and fails only past its time', async () => {
    const lane = await world();
    const [large, ...others] = await lane.queue(30);
    lane.chain.refuseWhole((items) => (items.some(({ paymentId }) => paymentId === large) ? 'over_cap' : undefined));
    const deps = { ...lane.deps, pace: { ...lane.deps.pace, deferMs: 60_000 } };
    const lease = await lane.takeLease();
    for (let round = 0; round < 20; round += 1) {
      await laneRound(deps, lease);
      lane.chain.mine();
    }
    expect(await lane.statuses()).toEqual({ completed: 29, pending: 1 });
    expect(await laneDifferences(lane, others)).toEqual([]);
    lane.chain.setTime(2n ** 40n);
    await lane.pool.query('update svc.settlements set retry_at = null');
    await lane.settle(deps);
    expect(await lane.statuses()).toEqual({ completed: 29, failed: 1 });
    expect(await column(lane, 'select failure_code from svc.payments where failure_code is not null')).toEqual([
      'authorization_expired',
    ]);
  });
});

describe('what the lane can’t help', () => {
  test('a paused processor fails nothing; when it goes on, everything settles', async () => {
    const lane = await world();
    const payments = await lane.queue(30);
    lane.chain.refuseWhole(() => 'paused');
    expect(new Set(await rounds(lane, lane.deps, 5))).toEqual(new Set(['blocked']));
    expect(await lane.statuses()).toEqual({ pending: 30 });
    lane.chain.refuseWhole(undefined);
    await lane.settle();
    expect(await laneDifferences(lane, payments)).toEqual([]);
  });

  test('too few coins for all of it: smaller transactions; too few for one: nothing is signed, others take its part', async () => {
    const lane = await world();
    const payments = await lane.queue(10);
    lane.chain.setCoins(3);
    await lane.settle();
    expect(await lane.statuses()).toEqual({ completed: 10 });
    lane.chain.setCoins(0);
    const more = await lane.queue(2);
    await rounds(lane, lane.deps, 3);
    expect(await column(lane, 'select condition from svc.relayers')).toEqual(['empty']);
    expect(await column(lane, "select count(*)::integer from svc.batches where status = 'signed'")).toEqual([0]);
    const other = await createLaneWorld(lane.pool, `0x${'6e'.repeat(20)}`);
    await other.settle();
    expect(await lane.statuses()).toEqual({ completed: 12 });
    expect((await laneDifferences(lane, payments)).filter((text) => !text.includes('follows'))).toEqual([]);
    expect(more.map((payment) => other.chain.settled.get(payment))).toEqual([1, 1]);
  });

  test('a relayer that the processor does not know gives its part to others', async () => {
    const lane = await world();
    await lane.queue(2);
    lane.chain.refuseWhole(() => 'not_allowed');
    await rounds(lane, lane.deps, 2);
    expect(await column(lane, 'select condition from svc.relayers')).toEqual(['not_allowed']);
    const shareOf = async (of: LaneWorld) => (await of.store.heartbeat(await of.takeLease()))?.share;
    expect(await shareOf(lane)).toEqual({ index: 0, count: 1 });
    const other = await createLaneWorld(lane.pool, `0x${'6e'.repeat(20)}`);
    expect(await shareOf(lane)).toBeUndefined();
    expect(await shareOf(other)).toEqual({ index: 0, count: 1 });
  });

  test('a lane that drains finishes its flight and takes nothing new; its part goes to the others at once', async () => {
    const lane = await world();
    const other = await createLaneWorld(lane.pool, `0x${'6e'.repeat(20)}`);
    await lane.queue(20);
    const lease = await lane.takeLease();
    await laneRound(lane.deps, lease);
    await lane.pool.query("update svc.relayers set status = 'draining' where address = $1", [lane.lane.relayer]);
    await lane.queue(10);
    lane.chain.mine();
    for (let round = 0; round < 3; round += 1) await laneRound(lane.deps, lease);
    await other.settle();
    expect(await lane.statuses()).toEqual({ completed: 30 });
    expect(lane.chain.settled.size).toBe(10);
    expect(other.chain.settled.size).toBe(20);
  });
});
