import type { JsonRpc } from '../rpc/json-rpc.ts';
import { askChain, resultOf } from './ask-chain.ts';
import { readReceipt } from './read-receipt.ts';

/** Where each transaction stands in the chain; undefined for one that no block holds. */
export async function readInclusions(
  rpc: JsonRpc,
  transactionIds: readonly string[],
): Promise<readonly ({ readonly blockNumber: bigint; readonly blockHash: string } | undefined)[]> {
  if (transactionIds.length === 0) return [];
  const answers = await askChain(
    rpc,
    transactionIds.map((id) => ({ method: 'eth_getTransactionReceipt', params: [id] })),
  );
  return answers.map((answer) => readReceipt(resultOf(answer)));
}
