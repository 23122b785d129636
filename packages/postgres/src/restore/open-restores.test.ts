import { evmNetwork } from '@svc-pay/protocol';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/index.ts';
import { acceptOpenRestore, closeRestore, loadOpenRestore, openRestore } from './open-restores.ts';

const { pool } = await createTestDatabase();
let chains = 84_000;
const newNetwork = () => evmNetwork(++chains);
const at = (fromBlock: bigint | undefined, ...relayers: string[]) => ({ fromBlock, relayers });

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

test('where nobody knows the block, a known one takes its place, and else only the whole history closes it', async () => {
  const network = newNetwork();
  expect(await openRestore(pool, network, at(undefined), 1)).toEqual(at(undefined));
  expect(await closeRestore(pool, network, at(1n))).toEqual(at(undefined));
  expect(await closeRestore(pool, network, at(0n))).toBeUndefined();
  await openRestore(pool, network, at(undefined), 2);
  expect(await openRestore(pool, network, at(7n), 3)).toEqual(at(7n));
  expect(await openRestore(pool, network, at(undefined), 4)).toEqual(at(7n));
});

test('an operator accepts what is open, once, and the audit record says what and why', async () => {
  const [network, other] = [newNetwork(), newNetwork()];
  await openRestore(pool, network, at(20n, 'a'), 1);
  await openRestore(pool, other, at(30n), 1);
  const operation = { pool, nowMs: Date.now(), actor: 'operator:test' };
  expect(await acceptOpenRestore(operation, network, 'looked at it')).toEqual(at(20n, 'a'));
  expect(await acceptOpenRestore(operation, network, 'looked at it')).toBeUndefined();
  expect(await loadOpenRestore(pool, other)).toEqual(at(30n));
  const { rows } = await pool.query(`select actor, target, detail from svc.audit where action = 'restore.accepted'`);
  const detail = { fromBlock: '20', relayers: ['a'], reason: 'looked at it' };
  expect(rows).toEqual([{ actor: 'operator:test', target: network, detail }]);
});
