import { authenticate, type Caller } from '@svc-pay/core';
import type pg from 'pg';
import { expect, test } from 'vitest';
import { findKey } from '../account/find-key.ts';
import { expireIntents } from '../intent/expire-intents.ts';
import { findIntentOfCode } from '../reader/lock-for-apply.ts';
import { insertRow } from '../testing/index.ts';
import { booksOf, createMoveWorld, LATE_CODE, type MoveWorld } from '../testing/move-world.ts';
import { TEST_SECRETS } from '../testing/new-operation.ts';
import { queuePayment } from '../testing/queue-payment.ts';
import { MOVED_TABLES } from './moved-tables.ts';

const countOf = async (pool: pg.Pool, text: string, ...values: unknown[]) =>
  (await pool.query<{ n: number }>(`select count(*)::integer as n from ${text}`, values)).rows[0]?.n;

/** By table: the rows of an account as text, without the columns in which both cells may differ. */
async function rowsOf(pool: pg.Pool, accountId: string) {
  const found: Record<string, readonly string[]> = {};
  for (const { table, of, own = {} } of MOVED_TABLES) {
    const { rows } = await pool.query<{ line: string }>(
      `select (to_jsonb(t) - $2::text[])::text as line from svc.${table} t where ${of} order by 1`,
      [accountId, Object.keys(own)],
    );
    found[table] = rows.map(({ line }) => line);
  }
  return found;
}

const statusOf = async (pool: pg.Pool, id: string) =>
  (await pool.query<{ status: string }>('select status from svc.accounts where id = $1', [id])).rows[0]?.status;

const knownAt = ({ keyText }: MoveWorld, pool: pg.Pool) =>
  authenticate(
    { clock: { nowMs: Date.now }, peppers: [TEST_SECRETS.pepper], findKey: (indexes) => findKey(pool, indexes) },
    keyText,
  );

/** It is whole in the other cell and works there, and here nothing of it works. */
async function expectMoved(world: MoveWorld, before: Awaited<ReturnType<typeof rowsOf>>) {
  const { source, target, accountId } = world;
  const there = await rowsOf(target.pool, accountId);
  const { intents: _, relayers: __, ...same } = there;
  const { intents: ___, relayers: ____, ...was } = before;
  expect(same).toEqual(was);
  expect(there['intents']?.length).toBe(before['intents']?.length);
  expect([await statusOf(source.pool, accountId), await statusOf(target.pool, accountId)]).toEqual(['moved', 'active']);
  expect(await knownAt(world, source.pool)).toEqual({ ok: false, code: 'account_moved' });
  expect(await knownAt(world, target.pool)).toMatchObject({ ok: true, caller: { accountId } });
  expect([await booksOf(source.pool), await booksOf(target.pool)]).toEqual([[], []]);
  expect(await world.move()).toEqual({ ok: true, changed: false, rows: 0, behind: 0 });
}

test('an account moves with every row, works there, and works here no more', async () => {
  const world = await createMoveWorld();
  const { source, target, accountId, otherId, neighbourId } = world;
  const before = await rowsOf(source.pool, accountId);
  expect(Object.entries(before).filter(([table, rows]) => rows.length === 0 && !table.startsWith('overview_'))).toEqual(
    [['ledger_entry_rows', []]],
  );
  const [other, neighbour] = [await rowsOf(source.pool, otherId), await rowsOf(target.pool, neighbourId)];
  expect(await world.move()).toEqual({ ok: true, changed: true, rows: expect.any(Number), behind: 0 });
  const folded = await rowsOf(target.pool, accountId);
  expect(folded['overview_buckets']?.length).toBeGreaterThan(0);
  await expectMoved(world, {
    ...before,
    ...Object.fromEntries(Object.entries(folded).filter(([t]) => t.startsWith('overview_'))),
  });
  expect({ ...(await rowsOf(source.pool, otherId)), ...dropFigures }).toEqual({ ...other, ...dropFigures });
  expect(await rowsOf(target.pool, neighbourId)).toEqual(neighbour);
  for (const { pool } of [source, target])
    expect(
      await countOf(pool, "svc.audit where account_id = $1 and action like 'account.%'", accountId),
    ).toBeGreaterThan(1);
});

/** Folded by the move itself, so there is nothing to compare with. */
const dropFigures = { overview_buckets: [], overview_failures: [], overview_times: [] };

test('the account is paid in the other cell: an intent is made, and an authorization is claimed for it', async () => {
  const { target, accountId, ...world } = await createMoveWorld();
  expect(await world.move()).toMatchObject({ ok: true });
  const caller: Caller = { accountId, mode: 'test', kind: 'secret', keyId: 'key_a' as never };
  const { paymentId } = await queuePayment(target.pool, caller);
  expect(await countOf(target.pool, "svc.settlements where payment_id = $1 and status = 'queued'", paymentId)).toBe(1);
});

test('what is under way is named and waited for, and an account that is not moved works again after an abort', async () => {
  const world = await createMoveWorld();
  const { source, target, accountId } = world;
  await source.pool.query("update svc.batches set status = 'mined'");
  const waits = await world.move();
  expect(waits).toMatchObject({ ok: false, code: 'account_has_open_work' });
  expect('open' in waits && waits.open.map(({ what, count }) => [what, count > 0])).toEqual([
    ['payments in a block that is not final', true],
  ]);
  expect(await knownAt(world, source.pool)).toEqual({ ok: false, code: 'account_moving' });
  expect(await expireIntents(source.pool, Date.now(), 100)).toBe(0);
  expect(await countOf(target.pool, 'svc.accounts where id = $1', accountId)).toBe(0);
  expect(await world.abort()).toEqual({ ok: true });
  expect(await knownAt(world, source.pool)).toMatchObject({ ok: true });
  expect(await world.abort()).toEqual({ ok: false, code: 'account_not_moving' });
  await source.pool.query("update svc.batches set status = 'finalized'");
  expect(await world.move()).toMatchObject({ ok: true, changed: true });
  expect(await world.abort()).toEqual({ ok: false, code: 'account_moved' });
});

test.each<[string, string]>([
  [
    'payments without a result',
    "update svc.payments set status = 'pending' where status = 'failed' and account_id = $1",
  ],
  [
    'settlements in the queue, in a lane or held',
    "update svc.settlements set status = 'held' where account_id = $1 and status = 'completed'",
  ],
  [
    'refunds under way',
    "update svc.refunds set status = 'queued', reserved = 1, submitted_at = now() where account_id = $1",
  ],
  ['authorizations that can still move money', 'update svc.authorizations set closed_at = null where account_id = $1'],
  [
    'refused authorizations that can still move money',
    'update svc.refused_authorizations set closed_at = null where account_id = $1',
  ],
  ['stranded transfers', "update svc.stranded_transfers set status = 'queued' where account_id = $1"],
  [
    'deliveries that are due or being sent',
    "update svc.deliveries set next_at = now() where account_id = $1 and status = 'pending'",
  ],
  ['replays of events', "update svc.event_replays set status = 'running', finished_at = null where account_id = $1"],
  [
    'money logs that are read and not applied',
    `insert into svc.read_logs (network, transaction_id, log_index, address, block_number, block_hash, event, log, created_at)
     select 'eip155:84532', '0x1', 0, '0x2', 5, '0x5', 'payment_received', jsonb_build_object('intentCode', intent_code::text), now()
     from svc.intent_codes where account_id = $1 limit 1`,
  ],
  [
    'transfers of token ledgers that are not applied',
    `insert into svc.icrc_transfers select 'icp:x', 'l', 1, 'f', 't', 5, intent_code, now(), now(), 0, now()
     from svc.intent_codes where account_id = $1 limit 1`,
  ],
  [
    'Solana references with a transaction that nodes do not agree on',
    'update svc.payment_references set waits_since = now() where account_id = $1',
  ],
  ['batches that the chain reader has not passed', "update svc.reader_cursors set block_number = 1 where $1 <> ''"],
])('%s keep an account from being copied', async (what, change) => {
  const { source, target, accountId, move } = await createMoveWorld();
  await source.pool.query('alter table svc.payments disable trigger user');
  await source.pool.query(change, [accountId]);
  const waits = await move();
  expect('open' in waits && waits.open.map((open) => open.what)).toContain(what);
  expect(await countOf(target.pool, 'svc.accounts where id = $1', accountId)).toBe(0);
});

test('nobody writes a row of an account that has moved, and everybody writes rows of others', async () => {
  const { source, accountId, otherId, move } = await createMoveWorld();
  expect(await move()).toMatchObject({ ok: true });
  const fresh = [
    ['intents', { id: 'pi_zz' }],
    ['claims', { claim_key: Buffer.alloc(32, 9) }],
    ['payments', { id: 'pay_zz' }],
    ['settlements', { payment_id: 'pay_zz' }],
    ['events', { id: 'evt_zz' }],
  ] as const;
  for (const [table, row] of fresh) {
    await expect(insertRow(source.pool, table, { ...row, account_id: accountId })).rejects.toMatchObject({
      constraint: 'account_is_moving',
    });
    await insertRow(source.pool, table, { ...row, account_id: otherId });
  }
  await expect(
    source.pool.query('update svc.api_keys set revoked_at = now() where account_id = $1', [accountId]),
  ).rejects.toMatchObject({ constraint: 'account_is_moving' });
  await source.pool.query('update svc.api_keys set last_used_at = now() where account_id = $1', [accountId]);
});

test('a payment that is written while the copy begins is waited for, found as open, and can go on', async () => {
  const { source, target, accountId, move } = await createMoveWorld();
  const client = await source.pool.connect();
  await client.query('begin');
  await insertRow(client, 'payments', { account_id: accountId, id: 'pay_zz' });
  const moving = move();
  const waits = `pg_stat_activity where datname = current_database() and application_name = 'svc-operator' and wait_event_type = 'Lock'`;
  await expect.poll(() => countOf(source.pool, waits), { timeout: 20_000, interval: 50 }).toBe(1);
  await client.query('commit');
  client.release();
  const found = await moving;
  expect('open' in found && found.open).toMatchObject([{ what: 'payments without a result', count: 1 }]);
  expect(await countOf(target.pool, 'svc.accounts where id = $1', accountId)).toBe(0);
  await source.pool.query("update svc.payments set status = 'failed', failure_code = 'expired' where id = 'pay_zz'");
  // Tried meanwhile, in vain.
  await source.pool.query("update svc.deliveries set next_at = now() + interval '1 hour' where status = 'pending'");
  expect(await move()).toMatchObject({ ok: true, changed: true });
}, 60_000);

test('a late payment is recognised by the cell that has the account, and by no other', async () => {
  const { source, target, accountId, move } = await createMoveWorld();
  const ownerAt = async (pool: pg.Pool) => {
    const client = await pool.connect();
    try {
      return await findIntentOfCode(client, BigInt(LATE_CODE));
    } finally {
      client.release();
    }
  };
  expect(await ownerAt(source.pool)).toMatchObject({ accountId, isLate: true });
  expect(await move()).toMatchObject({ ok: true });
  expect(await ownerAt(source.pool)).toBeUndefined();
  expect(await ownerAt(target.pool)).toMatchObject({ accountId, isLate: true });
  const ways = `svc.late_ways way join svc.late_terms late on way.id = any (late.ways) where way.token_shortcode = 'basesepolia_usdc'`;
  expect(await countOf(target.pool, ways)).toBe(1);
});

test('the other cell reads the chain on from where this one stopped', async () => {
  const { source, target, move } = await createMoveWorld();
  const { rows } = await source.pool.query<Record<string, unknown>>('select * from svc.reader_cursors');
  const [{ network, address } = {}] = rows;
  await target.pool.query(
    `insert into svc.reader_cursors values ($1, $2, 'processor', 5000, '0x1388', 1, now()), ($1, '0xother', 'token', 5000, '0x1388', 1, now())`,
    [network, address],
  );
  expect(await move()).toMatchObject({ ok: true });
  const { rows: there } = await target.pool.query(
    'select address, block_number from svc.reader_cursors order by address',
  );
  expect(there).toEqual([
    { address: '0x2222222222222222222222222222222222222222', block_number: '2000' },
    { address: '0xother', block_number: '5000' },
  ]);
});

test('bookings keep their positions, what is booked next lies above them, and figures count each once', async () => {
  const world = await createMoveWorld();
  const { source, target, accountId } = world;
  const positions = 'select max(position)::text as last from svc.ledger_bookings where account_id = $1';
  await source.pool.query('update svc.ledger_bookings set position = position + 1000000000 where account_id = $1', [
    accountId,
  ]);
  const { rows: before } = await source.pool.query<{ last: string }>(positions, [accountId]);
  // The fold of this cell has to pass them as well.
  await source.pool.query('update svc.ledger_order set position_offset = 2000000000');
  expect(await world.move()).toMatchObject({ ok: true });
  expect((await target.pool.query(positions, [accountId])).rows).toEqual(before);
  const { rows: next } = await target.pool.query<{ above: boolean }>(
    `select position_offset + pg_current_xact_id()::text::bigint > $1::bigint as above from svc.ledger_order`,
    [before[0]?.last],
  );
  expect(next).toEqual([{ above: true }]);
  await target.pool.query('select svc.fold_overview()');
  expect(await booksOf(target.pool)).toEqual([]);
});
