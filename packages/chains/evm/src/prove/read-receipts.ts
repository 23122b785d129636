import { askNode, numberOf } from '../rpc/ask-node.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import type { ChainLog } from './processor-logs.ts';
import { logsOf } from './read-logs.ts';

export type MinedReceipt = {
  readonly transactionId: string;
  readonly logs: readonly ChainLog[];
  /** Everything the relayer paid, in the chain's native coin; on a rollup including the L1 fee. */
  readonly costAtomic: bigint;
};

/** Receipts by transaction id in lower case; transactions that are not mined are absent. */
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
      numberOf(receipt['gasUsed']) * numberOf(receipt['effectiveGasPrice']) +
      (typeof l1Fee === 'string' ? numberOf(l1Fee) : 0n);
    const transactionId = asked[index]?.toLowerCase() ?? '';
    receipts.set(transactionId, { transactionId, logs: logsOf(receipt['logs']), costAtomic });
  }
  return receipts;
}
