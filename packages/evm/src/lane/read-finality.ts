import type { JsonRpc } from '../rpc/json-rpc.ts';
import { askChain, fieldOf, quantityOf, resultOf } from './ask-chain.ts';

export type Finality = { readonly finalizedNumber: bigint; readonly finalizedTimeSeconds: bigint };

/** The last block that the chain itself calls final. Throws `ChainUnavailable` when the node cannot tell. */
export async function readFinality(rpc: JsonRpc): Promise<Finality> {
  const [answer] = await askChain(rpc, [{ method: 'eth_getBlockByNumber', params: ['finalized', false] }]);
  const block = resultOf(answer);
  return {
    finalizedNumber: quantityOf(fieldOf(block, 'number')),
    finalizedTimeSeconds: quantityOf(fieldOf(block, 'timestamp')),
  };
}
