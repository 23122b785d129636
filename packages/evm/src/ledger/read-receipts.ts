import type { JsonRpc } from '../rpc/json-rpc.ts';
import { askNode, quantityOf } from './ask-node.ts';
import type { ChainLog } from './processor-logs.ts';
import { logsOf } from './read-logs.ts';

export type MinedReceipt = {
  readonly transactionId: string;
  readonly logs: readonly ChainLog[];
  /** All that the relayer paid, in the chain's own coin; on a rollup with its part for the chain below. */
  readonly costAtomic: bigint;
};

/** By transaction, in lower case; one that is not mined is left out. */
export async function readReceipts(
  rpc: JsonRpc,
  transactionIds: readonly string[],
): Promise<ReadonlyMap<string, MinedReceipt>> {
  const asked = [...new Set(transactionIds)];
  const results = await askNode(
    rpc,
    asked.map((id) => ({ method: 'eth_getTransactionReceipt', params: [id] })),
  );
  const receipts = new Map<string, MinedReceipt>();
  for (const [index, result] of results.entries()) {
    if (typeof result !== 'object' || result === null) continue;
    const receipt = result as Readonly<Record<string, unknown>>;
    const l1Fee = receipt['l1Fee'];
    const costAtomic =
      quantityOf(receipt['gasUsed']) * quantityOf(receipt['effectiveGasPrice']) +
      (typeof l1Fee === 'string' ? quantityOf(l1Fee) : 0n);
    const transactionId = asked[index]?.toLowerCase() ?? '';
    receipts.set(transactionId, { transactionId, logs: logsOf(receipt['logs']), costAtomic });
  }
  return receipts;
}
