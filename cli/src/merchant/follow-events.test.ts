import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFollower, type Followed, LATE_MS, type ListEvents } from './follow-events.ts';

const BORN_MS = 1_794_744_000_000;
const eventAt = (index: number, offsetMs: number, sequence = 1): Followed => ({
  id: `evt_${String(index).padStart(6, '0')}`,
  type: 'payment.completed',
  paymentIntentId: `pi_${index}`,
  sequence,
  createdAt: new Date(BORN_MS + offsetMs).toISOString(),
  event: {},
});

/** Lists like the API: newest first, with an exclusive bound and an exclusive cursor. */
function listOf(committed: readonly Followed[], pageSize = 3): ListEvents {
  return async (createdAfter, startingAfter) => {
    const sorted = committed
      .filter(({ createdAt }) => createdAfter === undefined || createdAt > createdAfter)
      .toSorted((one, other) => other.createdAt.localeCompare(one.createdAt) || other.id.localeCompare(one.id));
    const rest =
      startingAfter === undefined ? sorted : sorted.slice(sorted.findIndex(({ id }) => id === startingAfter) + 1);
    return { data: rest.slice(0, pageSize), hasMore: rest.length > pageSize };
  };
}
const ids = (events: readonly Followed[]) => events.map(({ id }) => id);

test('whatever is committed how late, every event comes once', async () => {
  const emitted = fc.array(fc.record({ offsetMs: fc.nat(200_000), lateMs: fc.nat(LATE_MS - 1) }), {
    minLength: 1,
    maxLength: 60,
  });
  await fc.assert(
    fc.asyncProperty(emitted, fc.integer({ min: 100, max: 20_000 }), async (list, everyMs) => {
      const events = list.map(({ offsetMs, lateMs }, index) => ({
        event: eventAt(index, offsetMs),
        visibleMs: offsetMs + lateMs,
      }));
      const visible: Followed[] = [];
      const follower = createFollower(listOf(visible), BORN_MS);
      const got: string[] = [];
      for (let nowMs = 0; nowMs <= 260_000; nowMs += everyMs) {
        visible.splice(
          0,
          visible.length,
          ...events.filter((each) => each.visibleMs <= nowMs).map((each) => each.event),
        );
        got.push(...ids(await follower.poll()));
      }
      expect(got.toSorted((one, other) => one.localeCompare(other))).toEqual(events.map(({ event }) => event.id));
    }),
    { numRuns: 60 },
  );
});

test('without a beginning it begins now: what was there is not news, what follows is', async () => {
  const committed = Array.from({ length: 9 }, (_, index) => eventAt(10 + index, index * 100));
  const follower = createFollower(listOf(committed), undefined);
  expect(await follower.poll()).toEqual([]);
  committed.push(eventAt(3, 50), eventAt(4, 2_000));
  expect(ids(await follower.poll())).toEqual(['evt_000003', 'evt_000004']);
  expect(await follower.poll()).toEqual([]);
});

test('an account without events: the first one is news', async () => {
  const committed: Followed[] = [];
  const follower = createFollower(listOf(committed), undefined);
  await follower.poll();
  committed.push(eventAt(1, 0));
  expect(ids(await follower.poll())).toEqual(['evt_000001']);
});

test('events of one intent that were born in the same millisecond come by sequence', async () => {
  const born = [3, 1, 2].map((sequence) => ({ ...eventAt(9 - sequence, 0, sequence), paymentIntentId: 'pi_one' }));
  const follower = createFollower(listOf(born), BORN_MS);
  expect((await follower.poll()).map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
});

test('a look that failed loses nothing', async () => {
  const committed = Array.from({ length: 5 }, (_, index) => eventAt(index, index));
  const list = listOf(committed, 2);
  let calls = 0;
  const follower = createFollower(async (after, cursor) => {
    calls += 1;
    if (calls === 2) throw new Error('the API went away');
    return list(after, cursor);
  }, BORN_MS);
  await expect(follower.poll()).rejects.toThrow('went away');
  expect(await follower.poll()).toHaveLength(5);
});
