import { expect, test } from 'vitest';
import { common, idsOf, item, LEASE, NOW_MS, PACE, SEQUENCED } from '../testing/round-on.ts';
import { laneRound } from './drain-lane.ts';
import type { LaneItem } from './lane.ts';
import type { SequencedChain } from './lane-chain.ts';
import type { LaneDeps } from './lane-deps.ts';
import type { LaneStore } from './lane-store.ts';
import { loadHead } from './load-head.ts';

const SHARE = { index: 0, count: 1 };
const itemsOf = (count: number, kind = 'p') =>
  Array.from({ length: count }, (_, index) => ({ ...item(`${kind}${index}`), processor: kind }));

/** A lane whose transactions have room for as many payments as `room` says at the moment. */
function laneOf(queue: LaneItem[], room: { most: number }) {
  const read: number[] = [];
  const store: Pick<LaneStore, 'loadQueue'> = {
    loadQueue: async (_lane, _share, limit) => {
      read.push(Math.min(limit, queue.length));
      return queue.slice(0, limit);
    },
  };
  const chain: SequencedChain = {
    ...SEQUENCED,
    fit: (some) => {
      const alike = some.filter(({ processor }) => processor === some[0]?.processor);
      return { items: alike.slice(0, room.most), filled: Math.min(1, alike.length / room.most) };
    },
  };
  return { store, chain, read, load: () => loadHead({ store, chain }, LEASE, SHARE) };
}

test('behind a full transaction a lane reads little more than fills the next one', async () => {
  const { load, read } = laneOf(itemsOf(1_000), { most: 70 });
  expect((await load()).queue).toHaveLength(200);
  const next = await load();
  expect(read).toEqual([200, 79]);
  expect(next).toMatchObject({ isWhole: false, isShort: true });
  await load();
  expect(read).toEqual([200, 79, 79]);
});

test('it reads the whole head in the same round when payments need less than those before them', async () => {
  const room = { most: 70 };
  const { load, read } = laneOf(itemsOf(1_000), room);
  await load();
  room.most = 200;
  expect((await load()).queue).toHaveLength(200);
  expect((await load()).queue).toHaveLength(200);
  expect(read).toEqual([200, 79, 200, 200]);
});

test('it reads all of a queue that is shorter, and says so', async () => {
  const { load, chain } = laneOf(itemsOf(1_000), { most: 70 });
  await load();
  for (const count of [78, 12, 0]) {
    const loadQueue: LaneStore['loadQueue'] = async (_lane, _share, limit) => itemsOf(count).slice(0, limit);
    expect(await loadHead({ store: { loadQueue }, chain }, LEASE, SHARE)).toMatchObject({
      queue: { length: count },
      isWhole: true,
      isShort: false,
    });
  }
});

test('where the first payments have several tokens it reads on until one of them fills a transaction', async () => {
  const others = itemsOf(500, 'q');
  const mixed = itemsOf(500).flatMap((one, index) => [one, others[index] ?? one]);
  const { load, read } = laneOf(mixed, { most: 150 });
  expect((await load()).queue).toHaveLength(400);
  expect(read).toEqual([200, 400]);
});

test('while payments that need less gather, the queue is read once for each look', async () => {
  const queue = itemsOf(1_000);
  const room = { most: 70 };
  const { load, read } = laneOf(queue, room);
  await load();
  room.most = 200;
  queue.length = 150;
  await load();
  await load();
  expect(read).toEqual([200, 79, 150, 150]);
});

test('payments whose payout is withdrawn fill no transaction', async () => {
  const queue = itemsOf(1_000);
  const { load } = laneOf(queue, { most: 70 });
  await load();
  queue.unshift(...itemsOf(75).map((one) => ({ ...one, payout: { ...one.payout, withdrawn: true as const } })));
  const { queue: read } = await load();
  expect(read.filter(({ payout }) => !payout.withdrawn).length).toBeGreaterThanOrEqual(70);
});

test('one payment that goes alone does not make the next reads small', async () => {
  const { load, read } = laneOf(itemsOf(1_000), { most: 1 });
  await load();
  await load();
  expect(read).toEqual([200, 200]);
});

// A round that ends with nothing sent pauses the lane. So as many payments must be refused for that as before heads were short.
test('a short head that is refused as a whole holds up no payment behind it', async () => {
  const queue = itemsOf(1_000);
  const { store, chain } = laneOf(queue, { most: 70 });
  const sent: string[] = [];
  let refused = new Set<string>();
  const simulate = async (items: readonly LaneItem[]) =>
    items.some(({ paymentId }) => refused.has(paymentId))
      ? { ok: false as const, cause: 'refused' as const, reason: 'no', chainTimeSeconds: 0n }
      : common.simulate(items);
  const deps = {
    store: {
      ...store,
      heartbeat: async () => ({ nextNonce: 7n, open: true, share: SHARE, obstacle: null }),
      loadPendingBatches: async () => [],
      peekQueue: async () => ({ count: 200, oldestAtMs: 0, solo: false, refunds: false }),
      storeBatches: async (_lease: unknown, batches: readonly { items: readonly LaneItem[] }[]) => {
        for (const { items } of batches) {
          sent.push(idsOf(items));
          queue.splice(0, queue.length, ...queue.filter((one) => !items.includes(one)));
        }
        return true;
      },
      recordAttempts: async () => {},
      defer: async () => {},
    },
    chain: { ...chain, simulate },
    clock: { nowMs: () => NOW_MS },
    pace: PACE,
    log: () => {},
  } as unknown as LaneDeps;
  await laneRound(deps, LEASE);
  await laneRound(deps, LEASE);
  expect(sent.map((ids) => ids.split(',').length)).toEqual([70, 70]);
  refused = new Set(queue.slice(0, 79).map(({ paymentId }) => paymentId));
  expect(await laneRound(deps, LEASE)).toBe('moved');
  expect(sent).toHaveLength(3);
  expect(sent[2]?.split(',').some((id) => refused.has(id))).toBe(false);
});
