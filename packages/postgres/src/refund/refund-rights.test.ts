import { expect, test } from 'vitest';
import { createLaneStore } from '../lane/lane-store.ts';
import { loadRefundQueue } from '../lane/refund-items.ts';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { logInAs } from '../testing/log-in-as.ts';
import { createRefundWorld, refundParties, signature } from '../testing/refund-world.ts';
import { createRefundStore } from './refund-store.ts';
import { createRefundWatchStore } from './refund-watch-store.ts';

const { pool, url } = await createTestDatabase();
const api = await logInAs(pool, url, 'svc_api');
const settlement = await logInAs(pool, url, 'svc_settlement');
const world = createRefundWorld(pool);

test('no refund can be written around the functions, and none moved that settlement has, by whoever took over the API', async () => {
  const paymentId = await world.paid();
  const refund = await world.submitted(paymentId, 400n);
  for (const sql of [
    'insert into svc.refunds (id) values (1)',
    "update svc.refunds set status = 'completed'",
    'update svc.refunds set recipient = wallet',
    'update svc.refunds set signature = null',
    'delete from svc.refunds',
    'insert into svc.refund_totals (paid) values (1)',
    'update svc.refund_totals set reserved = 0',
    'delete from svc.refund_totals',
    'update svc.payments set refunded_amount = 0',
    'select svc.cancel_stale_refunds(now())',
    `select svc.lock_refund_totals('${world.owner.accountId}', 'test', '${paymentId}')`,
  ])
    await expect(api.query(sql), sql).rejects.toMatchObject({ code: '42501' });
  const theirs = createRefundStore(api);
  expect(await theirs.cancelPrepared(world.owner, refund.id, refundParties.nowMs)).toMatchObject({ ok: false });
  const terms = await world.terms(paymentId, 601n);
  expect(await theirs.recordPrepared(terms, refundParties.nowMs)).toEqual({ ok: false, code: 'refund_exceeds_paid' });
  expect((await world.refundable(paymentId)).totals).toMatchObject({ reservedAtomic: 400n });
});

test('a lane carries no transfer of a wallet that payouts of the account do not pay', async () => {
  const refund = await world.submitted(await world.paid(), 400n);
  const { network, relayer, nowMs, payer } = refundParties;
  const queued = async () => {
    const turn = { limit: 100, nowMs, busyWallets: [], lastAccount: '' };
    const items = await loadRefundQueue(settlement, { network, relayer }, { index: 0, count: 1 }, turn);
    return items.map((item) => item.refund?.id);
  };
  // The oldest of the account.
  await pool.query(`update svc.refunds set retry_at = 'infinity' where id <> $1`, [refund.id]);
  expect(await queued()).toContain(refund.id);
  await pool.query('update svc.refunds set wallet = $2 where id = $1', [refund.id, payer]);
  expect(await queued()).not.toContain(refund.id);
});

test('a refund of another chain family, or with terms that are none, cannot be written by whoever took over the API', async () => {
  const paymentId = await world.paid();
  const theirs = createRefundStore(api);
  const terms = await world.terms(paymentId, 400n);
  const transfer = { relayer: 'r', lastValidBlockHeight: 'soon', slot: 'x' } as unknown as NonNullable<
    typeof terms.transfer
  >;
  for (const forged of [
    { ...terms, kind: 'transaction' as const },
    { ...terms, kind: 'transaction' as const, transfer },
    { ...terms, transfer },
  ])
    await expect(theirs.recordPrepared(forged, refundParties.nowMs)).rejects.toMatchObject({ code: '23514' });
});

test('a relayer pays for at most 20 refunds of a payment, and for none of a grain, whoever prepares them', async () => {
  const paymentId = await world.paid();
  const theirs = createRefundStore(api);
  await world.submitted(paymentId, 400n);
  const after = async (sequence: number) => {
    await pool.query('update svc.refund_totals set last_sequence = $2 where payment_id = $1', [paymentId, sequence]);
    return theirs.recordPrepared(await world.terms(paymentId, 100n), refundParties.nowMs);
  };
  expect(await after(19)).toMatchObject({ ok: true });
  expect(await after(20)).toEqual({ ok: false, code: 'refund_signatures_used_up' });
  await pool.query('update svc.refund_totals set last_sequence = 1 where payment_id = $1', [paymentId]);
  const grain = await theirs.recordPrepared(await world.terms(paymentId, 9n), refundParties.nowMs);
  expect(grain).toEqual({ ok: false, code: 'refund_too_small' });
});

test('a malformed row stops neither the queue of a lane nor the watch of its network', async () => {
  const own = await createTestDatabase();
  const { paid, submitted, watch } = createRefundWorld(own.pool);
  const forged = await submitted(await paid(), 400n);
  const other = createRefundWorld(own.pool, 900n);
  const good = await other.submitted(await other.paid(), 400n);
  const { rows } = await own.pool.query<{ name: string }>(
    `select conname as name from pg_constraint where conrelid = 'svc.refunds'::regclass and contype = 'c'`,
  );
  for (const { name } of rows) await own.pool.query(`alter table svc.refunds drop constraint ${name}`);
  const { network, relayer, nowMs } = refundParties;
  const lanes = createLaneStore(own.pool, { clock: { nowMs: () => nowMs }, gasCoinRate: () => undefined });
  for (const change of [
    `transfer = '{"lastValidBlockHeight": "soon"}'`,
    `kind = 'transaction', transfer = '[]'`,
    `kind = 'transaction', transfer = null`,
    `wallet = 'nobody'`,
  ]) {
    await own.pool.query(`update svc.refunds set ${change} where id = $1`, [forged.id]);
    const queue = await lanes.loadRefundQueue({ network, relayer }, { index: 0, count: 1 }, 9);
    const sound = queue.filter(({ payout }) => !payout.withdrawn);
    expect(
      sound.map(({ refund }) => refund?.id),
      change,
    ).toEqual([good.id]);
    expect(
      (await watch.loadOpenRefunds(network, 0n, 9)).map(({ id }) => id),
      change,
    ).toContain(good.id);
  }
});

test('refunds are prepared and submitted by the API, and completed by settlement, with the rights of each', async () => {
  const paymentId = await world.paid();
  const store = createRefundStore(api);
  const watch = createRefundWatchStore(settlement);
  const terms = await world.terms(paymentId, 400n);
  expect(await store.recordPrepared(terms, refundParties.nowMs)).toMatchObject({ ok: true });
  const submitted = await store.submit(world.owner, terms.id, signature(1), refundParties.nowMs);
  if (!submitted.ok) throw new Error(submitted.code);
  const open = await watch.loadOpenRefunds(refundParties.network, 0n, 100);
  expect(open.map(({ id }) => id)).toContain(terms.id);
  expect(await watch.complete(submitted.refund, world.evidence(400n), refundParties.nowMs)).toBe('completed');
  expect(await watch.cancelStale(refundParties.nowMs)).toBe(0);
  const other = await world.submitted(paymentId, 10n);
  expect(await watch.fail(other, 'refund_expired', refundParties.nowMs)).toBe(true);
  expect(await store.list(world.owner, paymentId)).toHaveLength(2);
});
