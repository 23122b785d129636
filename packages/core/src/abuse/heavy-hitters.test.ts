import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createHeavyHitters } from './heavy-hitters.ts';

test('whoever occurs more often than one in `capacity` is kept, however many others there are', () => {
  const capacity = 8;
  // Two subjects that occur often among many that do not.
  const subject = fc.oneof(fc.nat({ max: 1 }), fc.nat({ max: 200 }));
  fc.assert(
    fc.property(fc.array(subject, { minLength: 200, maxLength: 1_000, size: 'max' }), (occurrences) => {
      const hitters = createHeavyHitters(capacity);
      for (const one of occurrences) hitters.add(`s${one}`);
      const listed = new Map(hitters.top(1_000).map(({ subject, count }) => [subject, count]));
      const error = occurrences.length / capacity;
      for (const [subject, all] of Map.groupBy(occurrences, (one) => `s${one}`)) {
        const count = listed.get(subject) ?? 0;
        expect(count).toBeLessThanOrEqual(all.length);
        expect(count).toBeGreaterThanOrEqual(all.length - error);
      }
    }),
    { numRuns: 200 },
  );
});

test('names that never repeat fill no memory and hide nobody', () => {
  const hitters = createHeavyHitters(50);
  for (let index = 0; index < 20_000; index += 1) {
    hitters.add(`invented ${index}`);
    if (index % 20 === 0) hitters.add('flooder');
    if (index % 100 === 0) expect(hitters.top(1_000).length).toBeLessThanOrEqual(100);
  }
  expect(hitters.top(1)).toMatchObject([{ subject: 'flooder' }]);
});

test('what was paid for does not count', () => {
  const hitters = createHeavyHitters(10);
  for (let index = 0; index < 9; index += 1) hitters.add('shop');
  for (let index = 0; index < 3; index += 1) hitters.add('flooder');
  for (let index = 0; index < 12; index += 1) hitters.pay('shop');
  hitters.pay('never seen');
  expect(hitters.top(5)).toEqual([
    { subject: 'flooder', count: 3, paid: 0 },
    { subject: 'shop', count: 9, paid: 9 },
  ]);
});
