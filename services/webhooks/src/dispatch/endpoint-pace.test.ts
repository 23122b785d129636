import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPace, type SlotKind } from './endpoint-pace.ts';

type Pace = ReturnType<typeof createPace>;
const begin = (pace: Pace, endpoint: string, count: number, goesFirst = false) =>
  Array.from({ length: count }, () => pace.began(endpoint, goesFirst, 0));

test('a quarter of the slots is kept for what goes first, and it may use the others too', () => {
  const pace = createPace(100, 16);
  expect(pace.free()).toEqual({ general: 75, kept: 25 });
  expect(pace.roomFor('a', 0)).toEqual({ general: 3, kept: 1 });
  expect(begin(pace, 'a', 3)).toEqual(['general', 'general', 'general']);
  expect(pace.roomFor('a', 0)).toEqual({ general: 0, kept: 1 });
  expect(begin(pace, 'a', 1, true)).toEqual(['kept']);
  expect(begin(pace, 'b', 3, true)).toEqual(['kept', 'general', 'general']);
  expect(pace.roomFor('a', 0)).toEqual({ general: 0, kept: 0 });
});

test('an endpoint begins with a few and earns more by answering', () => {
  const pace = createPace(100, 16);
  for (let answers = 0; answers < 30; answers += 1) {
    pace.ended('a', pace.began('a', false, 0), true, 0);
    pace.ended('a', pace.began('a', true, 0), true, 0);
  }
  expect(pace.roomFor('a', 0)).toEqual({ general: 12, kept: 4 });
  begin(pace, 'a', 12);
  expect(pace.roomFor('a', 0)).toEqual({ general: 0, kept: 4 });
});

test('one that is silent comes down to one at a time, with growing pauses, and back by an answer', () => {
  const pace = createPace(100, 16);
  const general = (nowMs: number) => pace.roomFor('a', nowMs).general;
  for (const slot of begin(pace, 'a', 3)) pace.ended('a', slot, false, 0);
  expect(general(0)).toBe(0);
  expect(general(60_000)).toBe(1);
  pace.ended('a', pace.began('a', false, 60_000), false, 60_000);
  expect(general(60_000 + 7_999)).toBe(0);
  expect(general(60_000 + 8_000)).toBe(1);
  pace.ended('a', pace.began('a', false, 80_000), true, 80_000);
  expect(general(80_000)).toBe(2);
});

test('silence on what anybody can cause takes nothing from the kept slots, and silence on those nothing from the others', () => {
  const pace = createPace(100, 16);
  for (let flood = 0; flood < 50; flood += 1) pace.ended('a', pace.began('a', false, 0), false, 0);
  expect(pace.roomFor('a', 0)).toEqual({ general: 0, kept: 1 });
  const slot = pace.began('a', true, 0);
  expect(slot).toBe('kept');
  pace.ended('a', slot, false, 0);
  expect(pace.roomFor('a', 999).kept).toBe(0);
  expect(pace.roomFor('a', 1_000).kept).toBe(1);
  expect(pace.roomFor('b', 0)).toEqual({ general: 3, kept: 1 });
});

test('all that are silent share half of the room', () => {
  const pace = createPace(12, 4);
  for (let index = 0; index < 20; index += 1) {
    pace.ended(`silent-${index}`, pace.began(`silent-${index}`, false, 0), false, 0);
  }
  let begun = 0;
  for (let index = 0; index < 20; index += 1) {
    if (pace.roomFor(`silent-${index}`, 100_000).general === 0) continue;
    pace.began(`silent-${index}`, false, 100_000);
    begun += 1;
  }
  expect(begun).toBe(4);
  expect(pace.roomFor('healthy', 100_000)).toEqual({ general: 3, kept: 1 });
});

test('whatever happens, no more are under way than there is room for, and none is forgotten', () => {
  const step = fc.record({
    endpoint: fc.integer({ min: 0, max: 5 }),
    goesFirst: fc.boolean(),
    kind: fc.constantFrom('begin', 'answer', 'silence'),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const pace = createPace(12, 5);
      const underWay = new Map<string, SlotKind[]>();
      let nowMs = 0;
      for (const { endpoint, goesFirst, kind } of steps) {
        nowMs += 700;
        const name = String(endpoint);
        const open = underWay.get(name) ?? [];
        const room = pace.roomFor(name, nowMs);
        if (kind === 'begin' && (room.general > 0 || (goesFirst && room.kept > 0))) {
          underWay.set(name, [...open, pace.began(name, goesFirst, nowMs)]);
        } else if (kind !== 'begin' && open[0] !== undefined) {
          pace.ended(name, open[0], kind === 'answer', nowMs);
          underWay.set(name, open.slice(1));
        }
        const all = [...underWay.values()].flat();
        const kept = all.filter((slot) => slot === 'kept').length;
        expect(pace.free()).toEqual({ general: 9 - (all.length - kept), kept: 3 - kept });
        expect(Math.min(...Object.values(pace.free()))).toBeGreaterThanOrEqual(0);
        expect(Math.max(0, ...[...underWay.values()].map(({ length }) => length))).toBeLessThanOrEqual(5);
      }
      for (const [name, slots] of underWay) for (const slot of slots) pace.ended(name, slot, true, nowMs);
      expect(pace.free()).toEqual({ general: 9, kept: 3 });
      for (let endpoint = 0; endpoint < 6; endpoint += 1) {
        const room = pace.roomFor(String(endpoint), nowMs + 60_000);
        expect(Math.min(room.general, room.kept)).toBeGreaterThan(0);
      }
    }),
  );
});
