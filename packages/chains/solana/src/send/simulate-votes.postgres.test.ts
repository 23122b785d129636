// One node that sees a payment pass is enough to send it. A node that says anything else does not end a payment alone.
import { ChainUnavailable, laneRound } from '@svc-pay/core';
import { createTestDatabase } from '@svc-pay/postgres/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { SolanaNode } from '../rpc/solana-node.ts';
import { createSolanaLaneWorld, type SolanaLaneWorld } from '../testing/lane-world.ts';
import { createLaneChain } from './create-lane-chain.ts';

type Simulate = SolanaNode['simulate'];

const POOR: Simulate = async () => ({ ok: false, error: { InstructionError: [2n, { Custom: 1n }] }, logs: [] });
const SILENT: Simulate = async () => {
  throw new ChainUnavailable('silent');
};

/** A queued payment, and three nodes of one chain that answer a simulation as given; undefined: with the truth. */
async function sendWith(
  answers: readonly (Simulate | undefined)[],
  rounds: number,
  prepare: (lane: SolanaLaneWorld) => Promise<unknown> = async () => {},
) {
  const { pool } = await createTestDatabase();
  const lane = await createSolanaLaneWorld(pool);
  onTestFinished(() => lane.chain.stop());
  const asked = answers.map(() => 0);
  const nodes = answers.map(
    (answer, place): SolanaNode => ({
      ...lane.node,
      simulate: (wire) => {
        asked[place] = (asked[place] ?? 0) + 1;
        return (answer ?? lane.node.simulate)(wire);
      },
    }),
  );
  const { paymentId } = await lane.queue();
  await prepare(lane);
  const deps = { ...lane.deps, chain: createLaneChain({ nodes, signer: lane.actors.relayer }) };
  const lease = await lane.takeLease();
  for (let round = 0; round < rounds; round += 1) {
    await laneRound(deps, lease);
    lane.chain.ledger.advance(1n);
  }
  const { rowCount: sent } = await pool.query('select from svc.batches');
  return { lane, deps, lease, asked, sent, payment: await lane.statusOf(paymentId) };
}

test('the first node sees it pass: no other plays it, and it is sent', async () => {
  const { asked, sent, payment } = await sendWith([undefined, POOR, POOR], 3);
  expect({ asked, sent }).toEqual({ asked: [1, 0, 0], sent: 1 });
  expect(payment).toMatchObject({ payment: 'completed' });
});

test('a silent node is passed over', async () => {
  const { asked, sent, payment } = await sendWith([SILENT, undefined, POOR], 3);
  expect({ asked, sent }).toEqual({ asked: [1, 1, 0], sent: 1 });
  expect(payment).toMatchObject({ payment: 'completed' });
});

test('the first node refuses it and another sees it pass: the payment waits, and has not failed', async () => {
  const { asked, sent, payment } = await sendWith([POOR, undefined, POOR], 1);
  expect({ asked, sent }).toEqual({ asked: [1, 1, 1], sent: 0 });
  expect(payment).toMatchObject({ payment: 'pending' });
});

test('every node that answers refuses it: the payment fails and nothing is sent', async () => {
  const { asked, sent, payment } = await sendWith([SILENT, POOR, POOR], 1);
  expect({ asked, sent }).toEqual({ asked: [1, 1, 1], sent: 0 });
  expect(payment).toMatchObject({ payment: 'failed', code: 'insufficient_funds' });
});

const PASSES: Simulate = async () => ({ ok: true });

test('after a transaction has failed on chain every node plays the next payment', async () => {
  const empty = ({ pool, chain }: SolanaLaneWorld) =>
    pool
      .query<{ payer: string }>('select payer from svc.authorizations')
      .then(({ rows }) => chain.fundToken(rows[0]!.payer, 1n));
  const { lane, deps, lease, asked, sent } = await sendWith([PASSES, undefined, undefined], 3, empty);
  expect({ asked, sent }).toEqual({ asked: [1, 0, 0], sent: 1 });
  const next = await lane.queue();
  await lane.chain.fundToken(next.payer, 1n);
  await laneRound(deps, lease);
  expect(asked).toEqual([2, 1, 1]);
  expect((await lane.pool.query('select from svc.batches')).rowCount).toBe(1);
  expect(await lane.statusOf(next.paymentId)).toMatchObject({ payment: 'pending' });
});

test('a node that sees a payment pass for ever does not keep it from expiring', async () => {
  const { lane, deps, lease } = await sendWith([PASSES, undefined], 0);
  const deaf = { ...deps, chain: { ...deps.chain, broadcast: async () => ({ outcome: 'unknown' as const }) } };
  await laneRound(deaf, lease);
  lane.chain.ledger.advance(300n);
  for (let round = 0; round < 6; round += 1) await laneRound(deaf, lease);
  const { rows } = await lane.pool.query<{ id: string }>('select id from svc.payments');
  expect(await lane.statusOf(rows[0]!.id)).toMatchObject({ payment: 'failed', code: 'authorization_expired' });
});

test('a payment whose payout was withdrawn is played by every node, and ends when it can no longer land', async () => {
  const withdraw = ({ pool }: SolanaLaneWorld) => pool.query("update svc.payouts set status = 'disabled'");
  const { lane, deps, lease, asked, sent, payment } = await sendWith([PASSES, undefined, undefined], 1, withdraw);
  expect({ asked, sent, payment: payment.payment }).toEqual({ asked: [1, 1, 1], sent: 0, payment: 'pending' });
  lane.chain.ledger.advance(300n);
  for (let round = 0; round < 6; round += 1) await laneRound(deps, lease);
  const { rows } = await lane.pool.query<{ id: string }>('select id from svc.payments');
  expect(await lane.statusOf(rows[0]!.id)).toMatchObject({ payment: 'failed' });
});
