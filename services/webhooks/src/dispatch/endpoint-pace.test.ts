import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPace } from './endpoint-pace.ts';

const begin = (pace: ReturnType<typeof createPace>, endpoint: string, count: number) => {
  for (let index = 0; index < count; index += 1) pace.began(endpoint);
};

test('an endpoint begins with a few and earns more by answering', () => {
  const pace = createPace(100, 16);
  expect(pace.roomFor('a', 0)).toBe(4);
  for (let answers = 0; answers < 30; answers += 1) {
    pace.began('a');
    pace.ended('a', true, 0);
  }
  expect(pace.roomFor('a', 0)).toBe(16);
  begin(pace, 'a', 16);
  expect(pace.roomFor('a', 0)).toBe(0);
});

test('one that is silent comes down to one at a time, with growing pauses, and back by an answer', () => {
  const pace = createPace(100, 16);
  begin(pace, 'a', 4);
  for (let silences = 0; silences < 4; silences += 1) pace.ended('a', false, 0);
  expect(pace.roomFor('a', 0)).toBe(0);
  expect(pace.roomFor('a', 60_000)).toBe(1);
  pace.began('a');
  pace.ended('a', false, 60_000);
  expect(pace.roomFor('a', 60_000 + 15_999)).toBe(0);
  expect(pace.roomFor('a', 60_000 + 16_000)).toBe(1);
  pace.began('a');
  pace.ended('a', true, 80_000);
  expect(pace.roomFor('a', 80_000)).toBe(2);
});

test('all that are silent share half of the room', () => {
  const pace = createPace(10, 4);
  for (let index = 0; index < 20; index += 1) {
    pace.began(`silent-${index}`);
    pace.ended(`silent-${index}`, false, 0);
  }
  let begun = 0;
  for (let index = 0; index < 20; index += 1) {
    if (pace.roomFor(`silent-${index}`, 100_000) === 0) continue;
    pace.began(`silent-${index}`);
    begun += 1;
  }
  expect(begun).toBe(5);
  expect(pace.roomFor('healthy', 100_000)).toBe(4);
});

test('whatever happens, no more are under way than there is room for, and none is forgotten', () => {
  const step = fc.record({
    endpoint: fc.integer({ min: 0, max: 5 }),
    kind: fc.constantFrom('begin', 'answer', 'silence'),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const pace = createPace(12, 5);
      const underWay = new Map<number, number>();
      let nowMs = 0;
      for (const { endpoint, kind } of steps) {
        nowMs += 700;
        const open = underWay.get(endpoint) ?? 0;
        if (kind === 'begin' && pace.roomFor(String(endpoint), nowMs) > 0) {
          pace.began(String(endpoint));
          underWay.set(endpoint, open + 1);
        } else if (kind !== 'begin' && open > 0) {
          pace.ended(String(endpoint), kind === 'answer', nowMs);
          underWay.set(endpoint, open - 1);
        }
        const total = [...underWay.values()].reduce((sum, count) => sum + count, 0);
        expect(pace.free()).toBe(12 - total);
        expect(total).toBeLessThanOrEqual(12);
        expect(Math.max(0, ...underWay.values())).toBeLessThanOrEqual(5);
      }
      for (const [endpoint, count] of underWay) {
        for (let rest = 0; rest < count; rest += 1) pace.ended(String(endpoint), true, nowMs);
      }
      expect(pace.free()).toBe(12);
      for (let endpoint = 0; endpoint < 6; endpoint += 1) {
        expect(pace.roomFor(String(endpoint), nowMs + 60_000)).toBeGreaterThan(0);
      }
    }),
  );
});
