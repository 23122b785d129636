import { evmNetwork } from '@svc-pay/protocol';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/index.ts';
import { closeRestore, loadOpenRestore, openRestore } from './open-restores.ts';

const { pool } = await createTestDatabase();
let chains = 84_000;
const newNetwork = () => evmNetwork(++chains);
const at = (fromBlock: bigint, ...relayers: string[]) => ({ fromBlock, relayers });

test('what is noted is lowered and never raised, and keeps every relayer', async () => {
  const network = newNetwork();
  expect(await loadOpenRestore(pool, network)).toBeUndefined();
  expect(await openRestore(pool, network, at(50n, 'b'), 1)).toEqual(at(50n, 'b'));
  expect(await openRestore(pool, network, at(90n, 'a', 'b'), 2)).toEqual(at(50n, 'a', 'b'));
  expect(await openRestore(pool, network, at(20n), 3)).toEqual(at(20n, 'a', 'b'));
  expect(await loadOpenRestore(pool, network)).toEqual(at(20n, 'a', 'b'));
  expect(await loadOpenRestore(pool, newNetwork())).toBeUndefined();
});

test('only a run that has read all of it forgets it', async () => {
  const network = newNetwork();
  const noted = at(20n, 'a', 'b');
  await openRestore(pool, network, noted, 1);
  expect(await closeRestore(pool, network, at(21n, 'a', 'b'))).toEqual(noted);
  expect(await closeRestore(pool, network, at(0n, 'a'))).toEqual(noted);
  expect(await closeRestore(pool, network, at(20n, 'a', 'b', 'c'))).toBeUndefined();
  expect(await loadOpenRestore(pool, network)).toBeUndefined();
  expect(await closeRestore(pool, network, at(5n))).toBeUndefined();
});

test('of two runs at the same time neither forgets what the other one has lowered', async () => {
  const network = newNetwork();
  await openRestore(pool, network, at(50n), 1);
  await Promise.all([openRestore(pool, network, at(30n), 2), openRestore(pool, network, at(40n, 'a'), 2)]);
  expect(await closeRestore(pool, network, at(40n, 'a'))).toEqual(at(30n, 'a'));
  expect(await closeRestore(pool, network, at(30n))).toEqual(at(30n, 'a'));
});
