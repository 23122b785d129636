// A node with a complete transaction can send it. The lane shows a complete transaction to no node before it is stored.
import { getBase58Decoder, getBase58Encoder } from '@solana/kit';
import { laneRound } from '@svc-pay/core';
import { createTestDatabase } from '@svc-pay/postgres/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { SolanaNode } from '../rpc/solana-node.ts';
import { AMOUNT, createSolanaLaneWorld, type SolanaLaneWorld } from '../testing/lane-world.ts';
import { queueText } from '../testing/queue-text.ts';
import { createLaneChain } from './create-lane-chain.ts';

async function world(): Promise<SolanaLaneWorld> {
  const { pool } = await createTestDatabase();
  const made = await createSolanaLaneWorld(pool);
  onTestFinished(() => made.chain.stop());
  made.chain.ledger.unixSeconds = BigInt(Math.floor(Date.now() / 1_000));
  return made;
}

/** The relayer's signature is the first, after the count of signatures. */
const relayerSignature = (wire: Uint8Array) => wire.subarray(1, 65);

/** A node that keeps simulated transactions, completes them with any signature it is asked about, and sends them. */
function spyingNode(lane: SolanaLaneWorld, answers: Partial<SolanaNode>) {
  const shown: Uint8Array[] = [];
  const storedWhenTold: boolean[] = [];
  const isStored = async (transactionId: string) => {
    const found = await lane.pool.query('select from svc.batch_transactions where transaction_id = $1', [
      transactionId,
    ]);
    return found.rowCount === 1;
  };
  const told = async (transactionId: string) => {
    storedWhenTold.push(await isStored(transactionId));
    for (const wire of shown) {
      const complete = Uint8Array.from(wire);
      complete.set(getBase58Encoder().encode(transactionId), 1);
      await lane.node.send(complete);
    }
  };
  const node: SolanaNode = {
    ...lane.node,
    ...answers,
    simulate: async (wire) => {
      shown.push(wire);
      return (answers.simulate ?? lane.node.simulate)(wire);
    },
    statuses: async (ids) => {
      for (const id of ids) await told(id);
      return (answers.statuses ?? lane.node.statuses)(ids);
    },
    transaction: async (id, commitment) => {
      await told(id);
      return lane.node.transaction(id, commitment);
    },
    send: async (wire) => {
      await told(getBase58Decoder().decode(relayerSignature(wire)));
      return lane.node.send(wire);
    },
  };
  const deps = { ...lane.deps, chain: createLaneChain({ nodes: [node], signer: lane.actors.relayer }) };
  return { deps, shown, storedWhenTold };
}

describe.each([
  ['a prepared transaction', (lane: SolanaLaneWorld) => lane.queue()],
  ['a signed text', (lane: SolanaLaneWorld) => queueText(lane)],
] as const)('%s', (_kind, queue) => {
  test('is simulated without the relayer’s signature, and told by its id only when its bytes are stored', async () => {
    const lane = await world();
    const { paymentId } = await queue(lane);
    const { deps, shown, storedWhenTold } = spyingNode(lane, {});
    await lane.settle(deps);
    expect((await lane.statusOf(paymentId)).payment).toBe('completed');
    expect(shown.length).toBeGreaterThan(0);
    for (const wire of shown) expect(relayerSignature(wire)).toEqual(new Uint8Array(64));
    expect(new Set(storedWhenTold)).toEqual(new Set([true]));
  });

  test('that a lying node calls refused can’t be sent by that node: the payment fails and no money moves', async () => {
    const lane = await world();
    const { paymentId, payer } = await queue(lane);
    const simulate = async () => ({ ok: false as const, error: { InstructionError: [2n, { Custom: 1n }] }, logs: [] });
    const { deps, shown } = spyingNode(lane, { simulate });
    await lane.settle(deps);
    expect(await lane.statusOf(paymentId)).toMatchObject({ payment: 'failed', code: 'insufficient_funds' });
    for (const wire of shown) await lane.node.send(wire);
    lane.chain.ledger.advance(40n);
    expect(shown.length).toBeGreaterThan(0);
    expect(await lane.balanceOf(payer)).toBe(AMOUNT);
  });

  test.each([
    ['processed', { simulate: async () => ({ ok: false as const, error: 'AlreadyProcessed', logs: [] }) }],
    [
      'too old',
      {
        simulate: async () => ({ ok: false as const, error: 'BlockhashNotFound', logs: [] }),
        blockHeight: async () => 1_000_000n,
      },
    ],
  ])('that a lying node calls %s is stored before the node can complete it', async (_word, answers) => {
    const lane = await world();
    const { payer } = await queue(lane);
    const { deps, storedWhenTold } = spyingNode(lane, answers);
    const lease = await lane.takeLease();
    for (let round = 0; round < 3; round += 1) await laneRound(deps, lease);
    expect(storedWhenTold.length).toBeGreaterThan(0);
    expect(new Set(storedWhenTold)).toEqual(new Set([true]));
    // The node did complete and send the transaction: the stored row proves where the money went.
    expect(await lane.balanceOf(payer)).toBe(0n);
  });
});
