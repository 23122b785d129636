import { laneRound } from '@svc-pay/core';
import { createFinalityStore } from '@svc-pay/postgres/lanes';
import { createTestDatabase } from '@svc-pay/postgres/testing';
import { openNode } from '@svc-pay/solana';
import { createSolanaLaneWorld } from '@svc-pay/solana/testing';
import { expect, onTestFinished, test } from 'vitest';
import { createSolanaFinality } from './watch-finality.ts';
import { createSolanaHeldWatch } from './watch-held.ts';

test('landed at a node that shows no balances, a payment is held, and completed once the balances are told', async () => {
  const { pool } = await createTestDatabase();
  const lane = await createSolanaLaneWorld(pool);
  onTestFinished(() => lane.chain.stop());
  const watched = await lane.chain.openNode();
  const open = {
    network: lane.lane.network,
    mode: 'test',
    nodes: [openNode(watched.rpcUrl)],
    gasCoin: undefined,
  } as const;
  const told: string[] = [];
  const parts = {
    pool,
    finality: createFinalityStore(pool),
    clock: lane.parts.clock,
    log: (_level: string, _details: object, message: string) => void told.push(message),
    metrics: { batchMoved: () => {}, batchTakenBack: () => {} },
  };
  const [finality, held] = [createSolanaFinality(open, parts), createSolanaHeldWatch(open, parts)];
  const blind: typeof watched.faults.lie = ({ method }, truth) => {
    if (method !== 'getTransaction' || truth === null) return undefined;
    const { meta, ...rest } = truth as { meta: object };
    return { ...rest, meta: { ...meta, preTokenBalances: [], postTokenBalances: null } };
  };
  watched.faults.lie = blind;
  lane.front.faults.lie = blind;
  const { paymentId } = await lane.queue();
  const own = await lane.hold();
  for (let round = 0; round < 4; round += 1) {
    await laneRound(lane.parts, own);
    lane.chain.ledger.advance(1n);
  }
  lane.chain.ledger.advance(40n);
  await finality.beat();
  await held.beat();
  const settlement = async () => (await pool.query('select status from svc.settlements')).rows;
  expect(await settlement()).toEqual([{ status: 'held' }]);
  expect((await lane.statusOf(paymentId)).payment).toBe('pending');

  watched.faults.lie = undefined;
  await held.beat();
  await held.beat();
  expect(await lane.statusOf(paymentId)).toEqual({ payment: 'completed', intent: 'completed', code: null });
  expect(told).toEqual(['a held payment is proven by its balances']);
  const { rows } = await pool.query(
    "select asset = 'native' as native, sum(amount)::text as amount from svc.ledger_entries where amount > 0 group by 1 order by 1",
  );
  expect(rows).toEqual([
    { native: false, amount: '1000000' },
    { native: true, amount: '10600' },
  ]);
});
