import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { findHourlyCaps, recordHourlyCaps } from './hourly-caps.ts';

const { pool } = await createTestDatabase();
const NETWORK = 'eip155:84532';
const [USDC, EURC] = [`0x${'a1'.repeat(20)}`, `0x${'b2'.repeat(20)}`];
/** Does not fit a bigint column. */
const HUGE = 2n ** 104n - 1n;

test('a cap is found as the chain told it last, and what nobody knows is not found', async () => {
  expect(await findHourlyCaps(pool)).toEqual([]);
  const caps = [
    { asset: USDC, capAtomic: HUGE },
    { asset: EURC, capAtomic: undefined },
  ];
  await recordHourlyCaps(pool, NETWORK, caps, 1_000);
  expect(await findHourlyCaps(pool)).toEqual([{ network: NETWORK, asset: USDC, capAtomic: HUGE }]);
  await recordHourlyCaps(pool, NETWORK, [{ asset: USDC, capAtomic: 0n }], 2_000);
  expect(await findHourlyCaps(pool)).toEqual([{ network: NETWORK, asset: USDC, capAtomic: 0n }]);
  await recordHourlyCaps(pool, NETWORK, [{ asset: USDC, capAtomic: undefined }], 3_000);
  expect(await findHourlyCaps(pool)).toEqual([]);
});

test('a cap that stays the same is not written again', async () => {
  const writtenBy = async () =>
    (await pool.query('select xmin::text, changed_at from svc.hourly_caps where network = $1', ['eip155:1'])).rows;
  await recordHourlyCaps(pool, 'eip155:1', [{ asset: USDC, capAtomic: 7n }], 1_000);
  const before = await writtenBy();
  await recordHourlyCaps(pool, 'eip155:1', [{ asset: USDC, capAtomic: 7n }], 2_000);
  expect(await writtenBy()).toEqual(before);
});
