// Whether blocks are still where they were. A block's hash stands for all that is in it and before it, so one hash per
// height is enough, whatever the number of transactions.
import { numberToHex } from 'viem';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { askChain, fieldOf, resultOf } from './ask-chain.ts';

/** The hash at each height, in lower case; undefined where this chain has no block yet, so that nothing is concluded. */
export async function readBlockHashes(
  rpc: JsonRpc,
  heights: readonly bigint[],
): Promise<ReadonlyMap<bigint, string | undefined>> {
  const asked = [...new Set(heights)];
  const answers = await askChain(
    rpc,
    asked.map((height) => ({ method: 'eth_getBlockByNumber', params: [numberToHex(height), false] })),
  );
  return new Map(
    asked.map((height, index) => {
      const hash = fieldOf(resultOf(answers[index]), 'hash');
      return [height, typeof hash === 'string' ? hash.toLowerCase() : undefined];
    }),
  );
}
