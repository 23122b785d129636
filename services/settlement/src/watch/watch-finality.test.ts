import type { AgeingBatch, FinalityStore } from '@svc-pay/core';
import type { JsonRpc } from '@svc-pay/evm';
import { evmNetwork } from '@svc-pay/protocol';
import { expect, test } from 'vitest';
import { createFinalityWatch } from './watch-finality.ts';

const NETWORK = evmNetwork(84_532);
const [OLD, NEW] = [`0x${'0d'.repeat(32)}`, `0x${'4e'.repeat(32)}`];
const HEIGHT = 108n;

type Node = { readonly finalized: bigint; readonly hash: string };

/** A chain seen through nodes that answer by turns, one request each. */
function nodesByTurns(nodes: readonly Node[]): JsonRpc {
  let turn = 0;
  return async (calls) => {
    const node = nodes[turn % nodes.length];
    turn += 1;
    if (node === undefined) throw new Error('no node');
    return calls.map(({ params }) => {
      const number = params[0] === 'finalized' ? node.finalized : HEIGHT;
      return { ok: true, result: { number: `0x${number.toString(16)}`, timestamp: '0x1', hash: node.hash } } as const;
    });
  };
}

/** Which batches one beat calls final; the one there is was recorded in the old block. */
async function calledFinal(nodes: readonly Node[]): Promise<readonly string[]> {
  const final: string[] = [];
  const batch: AgeingBatch = { id: 'bat', transactionId: '0x1', blockNumber: HEIGHT, blockHash: OLD, openItems: [] };
  const finality: FinalityStore = {
    loadAgeingBatches: async (_network, finalizedNumber) => (finalizedNumber >= HEIGHT ? [batch] : []),
    loadBatchPlaces: async () => [],
    loadRecordedBatch: async () => undefined,
    moveBatch: async () => false,
    takeBackBatch: async () => false,
    recordFinal: async ({ id }) => void final.push(id),
  };
  const watch = createFinalityWatch(
    { network: NETWORK, rpc: nodesByTurns(nodes), gasCoin: undefined },
    { finality, clock: { nowMs: () => 0 }, log: () => {}, metrics: { batchMoved: () => {}, batchTakenBack: () => {} } },
  );
  await watch.beat();
  return final;
}

const onTheChain: Node = { finalized: 110n, hash: NEW };
const still: Node = { finalized: 103n, hash: OLD };

test('a block of a node that stands still on a fork is not final because another node is further on', async () => {
  expect(await calledFinal([onTheChain, still])).toEqual([]);
});

test('a block is final by the word of the node that has it', async () => {
  expect(await calledFinal([{ finalized: 110n, hash: OLD }])).toEqual(['bat']);
  expect(await calledFinal([onTheChain])).toEqual([]);
});
