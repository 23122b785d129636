import { expect, test } from 'vitest';
import { mapConcurrent } from './map-concurrent.ts';

const later = () => new Promise<void>((resolve) => setImmediate(resolve));

test('results come in the order of the items, and never more are under way than told', async () => {
  let [now, most] = [0, 0];
  const results = await mapConcurrent(3, [5, 1, 4, 2, 3], async (item, index) => {
    now += 1;
    most = Math.max(most, now);
    for (let turn = 0; turn < item; turn += 1) await later();
    now -= 1;
    return item * 10 + index;
  });
  expect(results).toEqual([50, 11, 42, 23, 34]);
  expect(most).toBe(3);
});

test('after one has thrown no other is begun', async () => {
  const begun: number[] = [];
  const asked = mapConcurrent(2, [0, 1, 2, 3, 4, 5], async (item) => {
    begun.push(item);
    await later();
    if (item === 1) throw new Error('no');
  });
  await expect(asked).rejects.toThrow('no');
  for (let turn = 0; turn < 10; turn += 1) await later();
  expect(begun.length).toBeLessThan(4);
});
