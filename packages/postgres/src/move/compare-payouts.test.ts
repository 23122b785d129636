import { expect, test } from 'vitest';
import { insertRow } from '../testing/index.ts';
import { BETWEEN_COMMITS, killOnce } from '../testing/kill-once.ts';
import { createMoveWorld, type MoveWorld, statusesOf } from '../testing/move-world.ts';

const WALLET = '0x00000000000000000000000000000000000000aa';

const direct = (account_id: string, payout_id: number, change: Readonly<Record<string, unknown>> = {}) => ({
  account_id,
  payout_id,
  kind: 'direct',
  processor: WALLET,
  merchant: WALLET,
  asset: '0xa',
  activation: '{}',
  active_from: new Date(),
  fee_bps: 0,
  splits: '[]',
  ...change,
});

/** Of another account in the cell `at`. */
const other = (world: MoveWorld, at: 'source' | 'target', change: Readonly<Record<string, unknown>> = {}) =>
  insertRow(
    world[at].pool,
    'payouts',
    direct(at === 'source' ? world.otherId : world.neighbourId, at === 'source' ? 52 : 53, change),
  );

test.each(['source', 'target'] as const)(
  'an account whose wallet another one in the cell %s is paid to directly does not move',
  async (at) => {
    const world = await createMoveWorld();
    await insertRow(world.source.pool, 'payouts', direct(world.accountId, 51));
    await other(world, at);
    expect(await world.move()).toEqual({ ok: false, code: 'wallet_shared' });
    expect(await statusesOf(world)).toEqual(['active', 'absent']);
    await world[at].pool.query("update svc.payouts set status = 'disabled' where payout_id in (52, 53)");
    expect(await world.move()).toMatchObject({ ok: true });
  },
);

test('wallets of accounts that are closed, of other networks, and payouts that are disabled here keep nobody', async () => {
  const world = await createMoveWorld();
  await insertRow(world.source.pool, 'payouts', direct(world.accountId, 51));
  await insertRow(
    world.source.pool,
    'payouts',
    direct(world.accountId, 54, { processor: '0xb', merchant: '0xb', status: 'disabled' }),
  );
  await other(world, 'source');
  await world.source.pool.query("update svc.accounts set status = 'closed' where id = $1", [world.otherId]);
  await other(world, 'target', { network: 'eip155:1' });
  await other(world, 'target', { processor: '0xb', merchant: '0xb' });
  expect(await world.move()).toMatchObject({ ok: true });
});

test('an account that has left arrives, whoever is paid to its wallet since', async () => {
  const world = await createMoveWorld();
  await insertRow(world.source.pool, 'payouts', direct(world.accountId, 51));
  await killOnce(world, 'source', BETWEEN_COMMITS);
  await expect(world.move()).rejects.toThrow();
  await other(world, 'target');
  expect(await world.move()).toMatchObject({ ok: true, changed: true });
});

test('a payout that an account of the other cell has is told by name', async () => {
  const world = await createMoveWorld();
  const { rows } = await world.source.pool.query('select network, processor from svc.payouts where payout_id = 41');
  await insertRow(world.target.pool, 'payouts', { ...rows[0], account_id: world.neighbourId, payout_id: 41 });
  expect(await world.move()).toEqual({ ok: false, code: 'payout_in_target' });
  expect(await statusesOf(world)).toEqual(['active', 'absent']);
});
