// Whether blocks are still where they were. A block's hash stands for all that is in it and before it, so one hash per
// height is enough, whatever the number of transactions.
import { numberToHex } from 'viem';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { askChain, fieldOf, quantityOf, resultOf } from './ask-chain.ts';

type Places = {
  readonly finalizedNumber: bigint;
  /** By height; undefined where the node has no block yet. */
  readonly hashes: ReadonlyMap<bigint, string | undefined>;
};

/**
 * Blocks and what is final, by one node in one answer: what one calls final may lie in a block of another that stands still
 * on a fork, and is final by neither then.
 */
export async function readPlaces(rpc: JsonRpc, heights: readonly bigint[]): Promise<Places> {
  const asked = [...new Set(heights)];
  const [finalized, ...answers] = await askChain(rpc, [
    { method: 'eth_getBlockByNumber', params: ['finalized', false] },
    ...asked.map((height) => ({ method: 'eth_getBlockByNumber', params: [numberToHex(height), false] })),
  ]);
  const hashes = new Map(
    asked.map((height, index) => {
      const hash = fieldOf(resultOf(answers[index]), 'hash');
      return [height, typeof hash === 'string' ? hash.toLowerCase() : undefined];
    }),
  );
  return { finalizedNumber: quantityOf(fieldOf(resultOf(finalized), 'number')), hashes };
}
