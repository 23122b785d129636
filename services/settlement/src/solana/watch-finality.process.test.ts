// Forks, as a node tells of them: the database must follow, and give up only what can never land.
import { type LaneParts, laneRound } from '@svc-pay/core';
import { createFinalityStore } from '@svc-pay/postgres/lanes';
import { createTestDatabase } from '@svc-pay/postgres/testing';
import { openNode } from '@svc-pay/solana';
import { createSolanaLaneWorld, type SolanaLaneWorld } from '@svc-pay/solana/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { OpenSolana } from './open-solana.ts';
import { createSolanaFinality } from './watch-finality.ts';

async function world() {
  const { pool } = await createTestDatabase();
  const lane = await createSolanaLaneWorld(pool);
  onTestFinished(() => lane.chain.stop());
  // Of its own, so that the lane hears the truth where the test wants it to.
  const watched = await lane.chain.openNode();
  const open: OpenSolana = {
    network: lane.lane.network,
    mode: 'test',
    nodes: [openNode(watched.rpcUrl)],
    gasCoin: undefined,
  };
  const told: string[] = [];
  const finality = createSolanaFinality(open, {
    finality: createFinalityStore(pool),
    clock: lane.parts.clock,
    log: (_level, _details, message) => told.push(message),
    metrics: { batchMoved: () => {}, batchTakenBack: () => {} },
  });
  return { lane, pool, faults: watched.faults, beat: finality.beat, told };
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

async function rounds(lane: SolanaLaneWorld, parts: LaneParts, count: number) {
  const held = await lane.hold();
  for (let round = 0; round < count; round += 1) await laneRound(parts, held);
}

test('what is final in its slot is called so, and not before', async () => {
  const { lane, beat } = await world();
  await lane.queue();
  await lane.settle();
  await beat();
  expect((await batchOf(lane))?.status).toBe('mined');
  lane.chain.ledger.advance(40n);
  await beat();
  expect((await batchOf(lane))?.status).toBe('finalized');
});

test('a transaction that a fork put into another slot is booked there, once, and stays completed', async () => {
  const { lane, faults, beat, told } = await world();
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
  await beat();
  expect(await batchOf(lane)).toEqual({ status: 'mined', block_number: moved.toString() });
  await beat();
  expect((await batchOf(lane))?.status).toBe('finalized');
  expect((await lane.statusOf(paymentId)).payment).toBe('completed');
  expect(await booked(lane, paymentId)).toBe('990000');
  expect(told).toEqual(['a fork moved a transaction']);
});

test('a transaction that no node knows is left alone while it could land, and taken back when it can’t', async () => {
  const { lane, faults, beat, told } = await world();
  const { paymentId, prepared } = await lane.queue();
  await lane.settle();
  const forgotten = ({ method }: { readonly method: string }) => {
    if (method === 'getSignatureStatuses') return { context: { slot: 1n }, value: [null] };
    return undefined;
  };
  faults.lie = forgotten;
  lane.chain.ledger.advance(40n);
  await beat();
  expect((await lane.statusOf(paymentId)).payment).toBe('completed');
  const { ledger } = lane.chain;
  ledger.advance(prepared.lifetime.lastValidBlockHeight + 33n - ledger.slotAt('processed'));
  await beat();
  expect(told).toEqual(['a fork took a transaction back; its lane looks after it again']);
  expect(await lane.statusOf(paymentId)).toMatchObject({ payment: 'pending', intent: 'processing' });
  expect(await booked(lane, paymentId)).toBe('0');
  // Its lane finds it after all: what one node forgot, another tells.
  await rounds(lane, lane.parts, 3);
  expect((await lane.statusOf(paymentId)).payment).toBe('completed');
  expect(await booked(lane, paymentId)).toBe('990000');
});

test('taken back and unknown to the lane’s nodes too, the payment fails and the intent can be paid again', async () => {
  const { lane, faults, beat } = await world();
  const { paymentId, prepared } = await lane.queue();
  await lane.settle();
  const { ledger } = lane.chain;
  ledger.advance(prepared.lifetime.lastValidBlockHeight + 40n - ledger.slotAt('processed'));
  const gone = ({ method }: { readonly method: string }) =>
    method === 'getSignatureStatuses' ? { context: { slot: 1n }, value: [null] } : undefined;
  faults.lie = gone;
  lane.front.faults.lie = gone;
  await beat();
  await rounds(lane, lane.parts, 5);
  expect(await lane.statusOf(paymentId)).toEqual({
    payment: 'failed',
    intent: 'requires_payment',
    code: 'authorization_expired',
  });
  expect(await booked(lane, paymentId)).toBe('0');
});
