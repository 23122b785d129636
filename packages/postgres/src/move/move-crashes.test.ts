// A move whose connections are killed, and moves that must not begin. A trigger kills the connection that fires it, or those to
// the other database, so nothing of the command is replaced.
import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { expect, test } from 'vitest';
import { type Kill, killOnce } from '../testing/kill-once.ts';
import { booksOf, createMoveWorld, guardsOf, type MoveWorld, statusesOf } from '../testing/move-world.ts';

const paymentsOf = async (pool: pg.Pool, accountId: string) => {
  const { rows } = await pool.query<{ n: number; events: number; booked: string }>(
    `select count(*)::integer as n, (select count(*)::integer from svc.events where account_id = $1) as events,
       (select sum(abs(amount))::text from svc.ledger_entries where account_id = $1) as booked
     from svc.payments where account_id = $1`,
    [accountId],
  );
  return rows[0];
};

test.each<[string, 'source' | 'target', Kill, readonly [string, string]]>([
  [
    'before it is recorded that the move begins',
    'source',
    { event: 'after insert on svc.account_moves', kills: 'source' },
    ['active', 'absent'],
  ],
  [
    'in the middle of the copy',
    'target',
    { event: 'after insert on svc.payments', kills: 'target' },
    ['moving', 'absent'],
  ],
  [
    'after the copy, before the account leaves',
    'target',
    { event: 'after insert on svc.audit', kills: 'target' },
    ['moving', 'absent'],
  ],
  [
    'while the account leaves',
    'source',
    { event: 'after update on svc.accounts', when: "new.status = 'moved'", kills: 'source' },
    ['moving', 'absent'],
  ],
  [
    'between the two commits',
    'source',
    { event: 'after update on svc.accounts', when: "new.status = 'moved'", kills: 'target' },
    ['moved', 'absent'],
  ],
  [
    'after the account arrived, before the rest is done',
    'source',
    { event: 'after update on svc.account_moves', when: 'new.arrived_at is not null', kills: 'source' },
    ['moved', 'active'],
  ],
])('a move that is killed %s is completed by the next call, with nothing twice', async (_, at, kill, left) => {
  const world = await createMoveWorld();
  const { source, target, accountId } = world;
  const before = await paymentsOf(source.pool, accountId);
  await killOnce(world, at, kill);
  await expect(world.move()).rejects.toThrow();
  expect(await statusesOf(world)).toEqual(left);
  expect(await world.move()).toMatchObject({ ok: true, changed: true });
  expect(await statusesOf(world)).toEqual(['moved', 'active']);
  expect(await paymentsOf(target.pool, accountId)).toEqual(before);
  expect([await booksOf(source.pool), await booksOf(target.pool)]).toEqual([[], []]);
  expect(await world.move()).toEqual({ ok: true, changed: false, rows: 0, behind: 0 });
});

test('a move that was killed in its copy can be aborted, and deliveries that it parked go on', async () => {
  const world = await createMoveWorld();
  await killOnce(world, 'target', { event: 'after insert on svc.payments', kills: 'target' });
  await expect(world.move()).rejects.toThrow();
  expect(await guardsOf(world)).toEqual({ guarded: true, parked: 1 });
  expect(await world.abort()).toEqual({ ok: true });
  expect(await guardsOf(world)).toEqual({ guarded: false, parked: 0 });
  await world.source.pool.query("update svc.intents set description = 'written again' where account_id = $1", [
    world.accountId,
  ]);
  expect(await statusesOf(world)).toEqual(['active', 'absent']);
});

test.each([
  ['payments', "new.failure_code := 'another'; return new;"],
  ['events', "new.body := new.body || '\\x20'; return new;"],
  ['claims', 'return null;'],
  ['late_terms', "new.expires_at := new.expires_at + interval '1 millisecond'; return new;"],
])('a row of %s that does not arrive as it was stops the move', async (table, change) => {
  const world = await createMoveWorld();
  await world.target.pool.query(`
    create function public.spoil() returns trigger language plpgsql as $body$ begin ${change} end $body$;
    create trigger spoil before insert on svc.${table} for each row execute function public.spoil()`);
  const moved = await world.move();
  expect(moved).toMatchObject({ ok: false, code: 'copies_differ' });
  expect('differences' in moved && moved.differences.map((difference) => difference.table)).toEqual([table]);
  expect(await statusesOf(world)).toEqual(['moving', 'absent']);
  expect(await guardsOf(world)).toEqual({ guarded: false, parked: 0 });
  await world.target.pool.query(`drop trigger spoil on svc.${table}`);
  await tried(world);
  expect(await world.move()).toMatchObject({ ok: true, changed: true });
});

test('while bookings of the other cell are not in its figures, what waits here goes on', async () => {
  const world = await createMoveWorld();
  await world.target.pool.query(`
    create function public.book() returns trigger language plpgsql as $body$ begin
      insert into svc.payment_changes (account_id, mode, payment_id, position, status, changed_at)
        values ('${world.neighbourId}', 'test', 'pay_neighbour', 1, 'pending', now());
      return new;
    end $body$;
    create trigger book after insert on svc.accounts for each row execute function public.book()`);
  expect(await world.move()).toEqual({ ok: false, code: 'target_busy' });
  expect(await guardsOf(world)).toEqual({ guarded: false, parked: 0 });
  await world.target.pool.query('drop trigger book on svc.accounts');
  await tried(world);
  expect(await world.move()).toMatchObject({ ok: true, changed: true });
});

/** Deliveries that wait here are tried between two calls, in vain. */
const tried = ({ source }: MoveWorld) =>
  source.pool.query("update svc.deliveries set next_at = now() + interval '1 hour' where status = 'pending'");

test.each<[string, string, string]>([
  ['installation_differs', 'target', 'update svc.installation set id = gen_random_uuid()'],
  ['schema_differs', 'target', "insert into svc.svc_migrations values ('9999_later', '', now())"],
  ['target_unproven', 'target', 'delete from svc.api_keys'],
  ['overview_rebuilding', 'target', 'insert into svc.overview_cursors (generation, shown) values (2, false)'],
  ['secrets_differ', 'target', `update svc.api_keys set lookup = sha256(lookup) where kind = 'publishable'`],
  [
    'secrets_under_old_key',
    'source',
    `update svc.endpoints set secret_ciphertext = '\\x07' || substring(secret_ciphertext from 2)`,
  ],
  [
    'relayer_shared',
    'target',
    `insert into svc.relayers (network, address, mode, next_nonce, status, updated_at)
     values ('eip155:84532', '0xrelayer', 'test', 0, 'active', now())`,
  ],
])('a move is refused with %s before it begins', async (code, at, change) => {
  const world = await createMoveWorld();
  if (code === 'relayer_shared')
    await world.source.pool.query(
      `insert into svc.relayers (network, address, mode, next_nonce, status, updated_at)
       values ('eip155:84532', '0xrelayer', 'test', 0, 'active', now())`,
    );
  await world[at as 'source'].pool.query(change);
  expect(await world.move()).toEqual({ ok: false, code });
  expect(await statusesOf(world)).toEqual(['active', 'absent']);
});

test('a pepper that is not that of the cells is refused', async () => {
  const world = await createMoveWorld();
  const secrets = { ...world.options.secrets, peppers: [{ number: 1, bytes: randomBytes(32) }] as const };
  expect(await world.move({ secrets })).toEqual({ ok: false, code: 'secrets_differ' });
});

test('an account moves to the cell that the move began with, and two moves do not run together', async () => {
  const [world, elsewhere] = [await createMoveWorld(), await createMoveWorld()];
  await world.source.pool.query("update svc.batches set status = 'mined'");
  expect(await world.move()).toMatchObject({ code: 'account_has_open_work' });
  await elsewhere.target.pool.query('update svc.installation set id = $1', [
    (await world.source.pool.query<{ id: string }>('select id from svc.installation')).rows[0]?.id,
  ]);
  expect(await world.move({ target: elsewhere.target.pool })).toEqual({ ok: false, code: 'move_to_another_cell' });
  const other = await world.source.pool.connect();
  await other.query(`select pg_advisory_lock(hashtextextended('svc.account_move', 0))`);
  expect(await world.move()).toEqual({ ok: false, code: 'move_under_way' });
  other.release(true);
});
