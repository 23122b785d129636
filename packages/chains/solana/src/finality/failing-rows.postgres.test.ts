// A row that makes a watcher throw, before good rows: the good rows are handled, and the failure is counted.
import { createFinalityWatch, createHeldWatch, laneRound, type WatchDeps } from '@svc-pay/core';
import {
  createFinalityStore,
  createMaintenanceStore,
  createReferenceStore,
  createStrandedStore,
} from '@svc-pay/postgres/settlement-service';
import { createTestDatabase } from '@svc-pay/postgres/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { OpenSolana } from '../rpc/open-networks.ts';
import { createSolanaLaneWorld } from '../testing/lane-world.ts';
import { queueText } from '../testing/queue-text.ts';
import { createRentCollector } from './collect-rent.ts';
import { openWatchedSolana, type SolanaWatchDeps } from './watched-chain.ts';

async function world() {
  const { pool } = await createTestDatabase();
  const lane = await createSolanaLaneWorld(pool);
  onTestFinished(() => lane.chain.stop());
  lane.chain.ledger.unixSeconds = BigInt(Math.floor(Date.now() / 1_000));
  const open: OpenSolana = { network: lane.lane.network, mode: 'test', nodes: [lane.node], gasCoin: undefined };
  const failures: string[] = [];
  const told: object[] = [];
  let laterMs = 0;
  const deps = {
    stranded: createStrandedStore(pool),
    references: createReferenceStore(pool),
    finality: createFinalityStore(pool),
    dropOldPrepared: createMaintenanceStore(pool).dropOldPrepared,
    clock: { nowMs: () => Date.now() + laterMs },
    relayers: [lane.actors.relayer],
    lowTransactions: 1n,
    installation: async () => 'here',
    log: (_event, details) => void told.push(details),
    metrics: { batchMoved: () => {}, batchReversed: () => {} },
    countFailure: (network, watcher) => void failures.push(`${watcher} ${network}`),
  } satisfies SolanaWatchDeps & Partial<WatchDeps>;
  const chain = openWatchedSolana(open, deps);
  const later = (ms: number) => {
    laterMs = ms;
  };
  return { lane, pool, open, chain, deps, failures, told, later };
}

type World = Awaited<ReturnType<typeof world>>;

const changeTransfer = async ({ pool }: World, { intentId }: { readonly intentId: string }, field: string) => {
  const changed = await pool.query(
    `update svc.authorizations set transfer = jsonb_set(transfer, $2, '"none"') where intent_id = $1`,
    [intentId, [field]],
  );
  expect(changed.rowCount).toBe(1);
};

/** Makes the address unparsable, so that the transaction's outcome cannot be judged. */
const poison = (all: World, payment: { readonly intentId: string }) => changeTransfer(all, payment, 'tokenProgram');

const settlements = async ({ pool }: World) =>
  (await pool.query<{ status: string }>('select status from svc.settlements order by number')).rows.map(
    ({ status }) => status,
  );

test.each([
  [
    // A settled batch in its recorded slot is final by its status; one in another slot is judged by its transaction.
    'in another slot, of no token program',
    async (all: World, first: { readonly intentId: string }) => {
      await poison(all, first);
      await all.pool.query(
        "update svc.batches set block_number = block_number - 1, block_hash = 'slot:' || block_number - 1 where nonce = 0",
      );
    },
  ],
  [
    'under an id that is none',
    async ({ pool }: World) => {
      await pool.query("update svc.batches set transaction_id = 'none' where nonce = 0");
      await pool.query(
        "update svc.batch_transactions set transaction_id = 'none' where batch_id = (select id from svc.batches where nonce = 0)",
      );
    },
  ],
])('a batch %s keeps no other from becoming final', async (_word, spoil) => {
  const all = await world();
  const { lane, pool, failures, told } = all;
  const first = await lane.queue();
  await lane.queue();
  await lane.queue();
  await lane.settle();
  await spoil(all, first);
  lane.chain.ledger.advance(40n);
  const { run } = createFinalityWatch(all.chain, all.deps);
  await run();
  const { rows } = await pool.query<{ id: string; status: string }>(
    'select id, status from svc.batches order by nonce',
  );
  expect(rows.map(({ status }) => status)).toEqual(['mined', 'finalized', 'finalized']);
  expect(failures).toEqual([`finality ${all.open.network}`]);
  expect(told).toMatchObject([{ network: all.open.network, watcher: 'finality', batchId: rows[0]?.id }]);
});

test('a held payment that can’t be looked at keeps no other from being proven', async () => {
  const all = await world();
  const { lane } = all;
  const { front } = lane;
  const finality = createFinalityWatch(all.chain, all.deps);
  front.faults.lie = ({ method }, truth) => {
    if (method !== 'getTransaction' || truth === null) return undefined;
    const { meta, ...rest } = truth as { meta: object };
    return { ...rest, meta: { ...meta, preTokenBalances: null, postTokenBalances: null } };
  };
  const first = await lane.queue();
  await lane.queue();
  const own = await lane.takeLease();
  for (let round = 0; round < 4; round += 1) {
    await laneRound(lane.deps, own);
    lane.chain.ledger.advance(1n);
  }
  lane.chain.ledger.advance(40n);
  await finality.run();
  expect(await settlements(all)).toEqual(['held', 'held']);
  front.faults.lie = undefined;
  await poison(all, first);
  await createHeldWatch(all.chain, all.deps).run();
  expect(await settlements(all)).toEqual(['held', 'completed']);
  expect(all.failures).toEqual([`held ${all.open.network}`]);
  expect(all.told[0]).toMatchObject({ watcher: 'held', paymentId: first.paymentId, intentId: first.intentId });
});

test.each([
  { word: 'that names no program', validSeconds: 200n, field: 'program' },
  // The program refuses to close this receipt, and so every other receipt of the same transaction.
  { word: 'that is not over by the chain’s clock', validSeconds: 370n, field: undefined },
])('a text $word keeps back the rent of no other', async ({ validSeconds, field }) => {
  const all = await world();
  const { lane, pool } = all;
  const { ledger } = lane.chain;
  const first = await queueText(lane, { validSeconds });
  for (let count = 0; count < 3; count += 1) await queueText(lane);
  await lane.settle();
  if (field !== undefined) await changeTransfer(all, first, field);
  all.later(600_000);
  ledger.unixSeconds += 400n;
  const { run } = createRentCollector(all.open, all.deps);
  for (let round = 0; round < 3; round += 1) {
    ledger.advance(1n);
    await run();
  }
  const { rows } = await pool.query('select intent_id from svc.authorizations where closed_at is null');
  expect(rows).toEqual([{ intent_id: first.intentId }]);
  expect(new Set(all.failures)).toEqual(new Set([`receipts ${all.open.network}`]));
  expect(all.told[0]).toMatchObject({ watcher: 'receipts', intentId: first.intentId });
});
