// A held payment whose batch reverted, was queued again, and whose first transaction a reorganisation revived: every
// transaction that was ever signed for it is searched, and its own log completes it.

import type { SettlementRow } from '@svc-pay/core/testing';
import { completions, type SettledBatchItem, writePaymentResults } from '@svc-pay/core/testing';
import { findMined } from '@svc-pay/evm';
import type { NetworkId } from '@svc-pay/protocol';
import type { SimulatedNode } from '../chain/simulated-node.ts';
import type { Simulation } from './simulation.ts';

export async function completeByRevertedBatch(
  { tables, note }: Pick<Simulation, 'tables' | 'note'>,
  node: SimulatedNode | undefined,
  row: SettlementRow,
  nowMs: number,
): Promise<void> {
  if (node === undefined) return;
  for (const id of row.revertedBatches) {
    const batch = tables.batches.get(id);
    if (batch?.status !== 'finalized') continue;
    const pending = { id, nonce: batch.nonce, status: 'broadcast' as const, sentAtMs: 0, items: [row.item] };
    const [mined] = await findMined(
      async (calls) => node.answer(calls),
      [{ ...pending, transactions: batch.transactions }],
    );
    const [part] = mined?.items ?? [];
    if (mined === undefined || part?.outcome !== 'settled') continue;
    note('watch', `${row.item.intentCode} is completed by its reverted batch ${id}`);
    Object.assign(row, { batchId: id, relayer: batch.relayer });
    const lane = { network: row.network as NetworkId, relayer: batch.relayer };
    const settled: SettledBatchItem = { item: row.item, mined: part };
    writePaymentResults(
      tables,
      completions(tables, lane, mined, [settled], new Map(), { requestId: id, nowMs }),
      'held',
    );
    return;
  }
}
