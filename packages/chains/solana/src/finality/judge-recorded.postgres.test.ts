// Reorgs as a node reports them: the database follows, and reverses only transactions that can never land.
import { createFinalityWatch, type LaneDeps, laneRound } from '@svc-pay/core';
import { createFinalityStore, createReferenceStore, createStrandedStore } from '@svc-pay/postgres/settlement-service';
import { createTestDatabase } from '@svc-pay/postgres/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { OpenSolana } from '../rpc/open-networks.ts';
import { openNode } from '../rpc/solana-node.ts';
import { createSolanaLaneWorld, type SolanaLaneWorld } from '../testing/lane-world.ts';
import { openRefundLane } from '../testing/refund-lane.ts';
import { openWatchedSolana } from './watched-chain.ts';

async function world() {
  const { pool } = await createTestDatabase();
  const lane = await createSolanaLaneWorld(pool);
  onTestFinished(() => lane.chain.stop());
  // The watcher has its own node, so that the lane sees true answers where the test wants them.
  const watched = await lane.chain.openNode();
  const open: OpenSolana = {
    network: lane.lane.network,
    mode: 'test',
    nodes: [openNode(watched.rpcUrl)],
    gasCoin: undefined,
  };
  const told: string[] = [];
  const deps = {
    finality: createFinalityStore(pool),
    stranded: createStrandedStore(pool),
    references: createReferenceStore(pool),
    clock: lane.deps.clock,
    log: (event: string) => void told.push(event),
    metrics: { batchMoved: () => {}, batchReversed: () => {} },
  };
  const chain = openWatchedSolana(open, {
    ...deps,
    relayers: [],
    lowTransactions: 1n,
    dropOldPrepared: async () => {},
    installation: async () => 'here',
  });
  const finality = createFinalityWatch(chain, deps);
  return { lane, pool, faults: watched.faults, run: finality.run, told };
}

const batchOf = async ({ pool }: SolanaLaneWorld) =>
  (await pool.query<{ status: string; block_number: string | null }>('select status, block_number from svc.batches'))
    .rows[0];
const booked = async ({ pool }: SolanaLaneWorld, paymentId: string) =>
  (
    await pool.query<{ sum: string }>(
      `select coalesce(sum(amount), 0)::text as sum from svc.ledger_entries
       where payment_id = $1 and asset <> 'native' and account_name = 'merchant'`,
      [paymentId],
    )
  ).rows[0]?.sum;

async function rounds(lane: SolanaLaneWorld, deps: LaneDeps, count: number) {
  const lease = await lane.takeLease();
  for (let round = 0; round < count; round += 1) await laneRound(deps, lease);
}

test('what is final in its slot is called so, and not before', async () => {
  const { lane, run } = await world();
  await lane.queue();
  await lane.settle();
  await run();
  expect((await batchOf(lane))?.status).toBe('mined');
  lane.chain.ledger.advance(40n);
  await run();
  expect((await batchOf(lane))?.status).toBe('finalized');
});

test('the batch of a refund is final with its slot, before or after the refund is completed, and its gas is booked once', async () => {
  const { lane, pool, run, told } = await world();
  const refunds = await openRefundLane(lane);
  const { paymentId } = await refunds.pay();
  const finish = async (watchFirst: boolean) => {
    const signed = await refunds.prepare(paymentId, 100_000n);
    await refunds.submit(signed);
    await lane.settle();
    await run();
    lane.chain.ledger.advance(40n);
    for (const step of watchFirst ? [refunds.watch, run] : [run, refunds.watch]) await step();
    expect(await refunds.statusOf(signed.id)).toBe('completed');
  };
  await finish(true);
  await finish(false);
  const { rows } = await pool.query('select distinct status from svc.batches');
  expect(rows).toEqual([{ status: 'finalized' }]);
  expect(told).not.toContain('batch_reversed');
  expect((await pool.query('select from svc.gas_losses')).rowCount).toBe(2);
});

test('a transaction that a fork put into another slot is booked there, once, and stays completed', async () => {
  const { lane, faults, run, told } = await world();
  const { paymentId } = await lane.queue();
  await lane.settle();
  const before = BigInt((await batchOf(lane))?.block_number ?? 0);
  lane.chain.ledger.advance(40n);
  const moved = before + 3n;
  faults.lie = ({ method }, truth) => {
    if (method === 'getSignatureStatuses') {
      const { context, value } = truth as { context: unknown; value: readonly object[] };
      return { context, value: value.map((status) => status && { ...status, slot: moved }) };
    }
    return method === 'getTransaction' ? { ...(truth as object), slot: moved } : undefined;
  };
  await run();
  expect(await batchOf(lane)).toEqual({ status: 'mined', block_number: moved.toString() });
  await run();
  expect((await batchOf(lane))?.status).toBe('finalized');
  expect((await lane.statusOf(paymentId)).payment).toBe('completed');
  expect(await booked(lane, paymentId)).toBe('990000');
  expect(told).toEqual(['batch_moved']);
});

test('a transaction that no node knows is left alone while it could land, and taken back when it can’t', async () => {
  const { lane, faults, run, told } = await world();
  const { paymentId, prepared } = await lane.queue();
  await lane.settle();
  const forgotten = ({ method }: { readonly method: string }) => {
    if (method === 'getSignatureStatuses') return { context: { slot: 1n }, value: [null] };
    return undefined;
  };
  faults.lie = forgotten;
  lane.chain.ledger.advance(40n);
  await run();
  expect((await lane.statusOf(paymentId)).payment).toBe('completed');
  const { ledger } = lane.chain;
  ledger.advance(prepared.lifetime.lastValidBlockHeight + 33n - ledger.slotAt('processed'));
  await run();
  expect(told).toEqual(['batch_reversed']);
  expect(await lane.statusOf(paymentId)).toMatchObject({ payment: 'pending', intent: 'processing' });
  expect(await booked(lane, paymentId)).toBe('0');
  // The lane finds the transaction after all: one node lost it, another has it.
  await rounds(lane, lane.deps, 3);
  expect((await lane.statusOf(paymentId)).payment).toBe('completed');
  expect(await booked(lane, paymentId)).toBe('990000');
});

test('taken back and unknown to the lane’s nodes too, the payment fails and the intent can be paid again', async () => {
  const { lane, faults, run } = await world();
  const { paymentId, prepared } = await lane.queue();
  await lane.settle();
  const { ledger } = lane.chain;
  ledger.advance(prepared.lifetime.lastValidBlockHeight + 40n - ledger.slotAt('processed'));
  const gone = ({ method }: { readonly method: string }) =>
    method === 'getSignatureStatuses' ? { context: { slot: 1n }, value: [null] } : undefined;
  faults.lie = gone;
  lane.front.faults.lie = gone;
  await run();
  await rounds(lane, lane.deps, 5);
  expect(await lane.statusOf(paymentId)).toEqual({
    payment: 'failed',
    intent: 'requires_payment',
    code: 'authorization_expired',
  });
  expect(await booked(lane, paymentId)).toBe('0');
});
