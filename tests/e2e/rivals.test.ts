import { expect, test } from 'vitest';
import { allIsWell, laneEpoch, payBetweenRivals, RIVALS } from './pay-between-rivals.ts';
import { startWorld } from './start-world.ts';

// seeded-bugs.long.test.ts proves that this check finds a missing fence.
test('two settlements with one key on two engines: the database alone keeps them apart, and all is well', async () => {
  const world = await startWorld(RIVALS);
  await payBetweenRivals(world);
  expect(await allIsWell(world, 60)).toBe(true);
  expect(await laneEpoch(world)).toBeGreaterThan(20);
});
