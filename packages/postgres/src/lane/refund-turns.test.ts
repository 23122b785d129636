import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { createRefundWorld, refundParties } from '../testing/refund-world.ts';
import { createLaneStore } from './lane-store.ts';
import { LOAD_REFUNDS, loadRefundQueue } from './refund-items.ts';

const ALL = { index: 0, count: 1 };

test('accounts take turns in the queue of refunds, and one with many refunds or a busy wallet delays no other', async () => {
  const { pool } = await createTestDatabase();
  const { network, relayer, wallet, nowMs } = refundParties;
  const lane = { network, relayer };
  const [many, one] = [createRefundWorld(pool), createRefundWorld(pool, 900n)];
  for (let made = 0; made < 5; made += 1) await many.submitted(await many.paid(), 400n);
  await one.submitted(await one.paid(), 400n);
  const [busy, other] = [many.owner.accountId, one.owner.accountId];
  const accountsOf = (items: readonly { readonly accountId: string }[]) => items.map(({ accountId }) => accountId);
  const lanes = createLaneStore(pool, { clock: { nowMs: () => nowMs }, gasCoinRate: () => undefined });
  expect(accountsOf(await lanes.loadRefundQueue(lane, ALL, 4)).toSorted()).toEqual([busy, other].toSorted());
  for (const lastAccount of [busy, other]) {
    const [next] = await loadRefundQueue(pool, lane, ALL, { limit: 1, nowMs, busyWallets: [], lastAccount });
    expect(next?.accountId).toBe(lastAccount === busy ? other : busy);
  }
  await pool.query('update svc.refunds set by_contract = true where account_id = $1', [busy]);
  expect(accountsOf(await lanes.loadRefundQueue(lane, ALL, 4, [wallet]))).toEqual([other]);
});

test('of an account, what was never tried goes before what the chain refused; a wallet without a payout is not looked for', async () => {
  const { pool } = await createTestDatabase();
  const { network, relayer, nowMs } = refundParties;
  const lane = { network, relayer };
  const { paid, submitted } = createRefundWorld(pool);
  const [refused, later] = [await submitted(await paid(), 400n), await submitted(await paid(), 400n)];
  const lanes = createLaneStore(pool, { clock: { nowMs: () => nowMs }, gasCoinRate: () => undefined });
  const next = async () => (await lanes.loadRefundQueue(lane, ALL, 4)).map(({ refund }) => refund?.id);
  expect(await next()).toEqual([refused.id]);
  await pool.query("update svc.refunds set retry_at = $2::timestamptz - interval '1 second' where id = $1", [
    refused.id,
    new Date(nowMs),
  ]);
  expect(await next()).toEqual([later.id]);
  expect(await lanes.peekQueue(lane, ALL, 4)).toMatchObject({ refunds: true });
  await pool.query(`update svc.refunds set wallet = '0x${'99'.repeat(20)}'`);
  expect(await next()).toEqual([]);
  expect(await lanes.peekQueue(lane, ALL, 4)).toMatchObject({ refunds: false });
});

test('the queue of refunds is read without those that are not the next of their account, however many wait', async () => {
  const { pool } = await createTestDatabase();
  const { network, relayer, nowMs } = refundParties;
  const [many, one] = [createRefundWorld(pool), createRefundWorld(pool, 900n)];
  const [first, other] = [await many.submitted(await many.paid(), 400n), await one.submitted(await one.paid(), 400n)];
  const copied =
    'mode, intent_id, intent_code, kind, status, sequence, network, asset, token_shortcode, amount, reserved';
  const kept = 'wallet, recipient, nonce, valid_after, valid_before, signature, created_at, submitted_at, updated_at';
  await pool.query(
    `insert into svc.refunds (account_id, id, payment_id, retry_at, ${copied}, ${kept})
     select account_id, id || n, payment_id || n, case when n % 2 = 0 then created_at + interval '1 day' end, ${copied}, ${kept}
     from svc.refunds, generate_series(1, 2000) n where id = $1`,
    [first.id],
  );
  await pool.query('analyze svc.refunds');
  const values = [network, 1, 0, 4, new Date(nowMs), relayer, [], ''];
  const read = await pool.query<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(
    `explain (analyze, format json) ${LOAD_REFUNDS.text}`,
    values,
  );
  const scans = (node: PlanNode): readonly PlanNode[] => [
    ...(node['Relation Name'] === 'refunds' ? [node] : []),
    ...(node.Plans ?? []).flatMap(scans),
  ];
  const plan = read.rows[0]?.['QUERY PLAN'][0]?.Plan;
  const seen = plan === undefined ? [] : scans(plan);
  const rows = seen.map((scan) => {
    const removed = (scan['Rows Removed by Filter'] ?? 0) + (scan['Rows Removed by Index Recheck'] ?? 0);
    return (scan['Actual Rows'] + removed) * scan['Actual Loops'];
  });
  expect(seen.length).toBeGreaterThan(0);
  expect(rows.reduce((sum, count) => sum + count, 0)).toBeLessThan(20);
  const next = await loadRefundQueue(pool, { network, relayer }, ALL, {
    limit: 4,
    nowMs,
    busyWallets: [],
    lastAccount: '',
  });
  expect(new Set(next.map(({ refund }) => refund?.id))).toEqual(new Set([first.id, other.id]));
});

type PlanNode = {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
};
