import { createFinalityWatch, createHeldWatch, laneRound } from '@svc-pay/core';
import { createFinalityStore, createReferenceStore, createStrandedStore } from '@svc-pay/postgres/settlement-service';
import { createTestDatabase } from '@svc-pay/postgres/testing';
import { expect, onTestFinished, test } from 'vitest';
import { openNode } from '../rpc/solana-node.ts';
import { createSolanaLaneWorld } from '../testing/lane-world.ts';
import { openWatchedSolana } from './watched-chain.ts';

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
  const deps = {
    stranded: createStrandedStore(pool),
    references: createReferenceStore(pool),
    finality: createFinalityStore(pool),
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
  const [finality, held] = [createFinalityWatch(chain, deps), createHeldWatch(chain, deps)];
  const blind: typeof watched.faults.lie = ({ method }, truth) => {
    if (method !== 'getTransaction' || truth === null) return undefined;
    const { meta, ...rest } = truth as { meta: object };
    return { ...rest, meta: { ...meta, preTokenBalances: [], postTokenBalances: null } };
  };
  watched.faults.lie = blind;
  lane.front.faults.lie = blind;
  const { paymentId } = await lane.queue();
  const own = await lane.takeLease();
  for (let round = 0; round < 4; round += 1) {
    await laneRound(lane.deps, own);
    lane.chain.ledger.advance(1n);
  }
  lane.chain.ledger.advance(40n);
  await finality.run();
  await held.run();
  const settlement = async () => (await pool.query('select status from svc.settlements')).rows;
  expect(await settlement()).toEqual([{ status: 'held' }]);
  expect((await lane.statusOf(paymentId)).payment).toBe('pending');

  watched.faults.lie = undefined;
  await held.run();
  await held.run();
  expect(await lane.statusOf(paymentId)).toEqual({ payment: 'completed', intent: 'completed', code: null });
  expect(told).toEqual(['held_payment_completed']);
  const { rows } = await pool.query(
    "select asset = 'native' as native, sum(amount)::text as amount from svc.ledger_entries where amount > 0 group by 1 order by 1",
  );
  expect(rows).toEqual([
    { native: false, amount: '1000000' },
    { native: true, amount: '10600' },
  ]);
});
