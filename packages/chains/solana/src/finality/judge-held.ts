// Answers what became of held payments: their transaction landed, but no node could show that the money moved. The
// balances prove it as soon as a node shows them. A payment without a transaction of ours cannot be traced.
import { BATCH_STATUS, type HeldPayment, type HeldVerdict, type PendingBatch } from '@svc-pay/core';
import type { SolanaNode } from '../rpc/solana-node.ts';
import { findMined } from './find-batches.ts';
import { isFinal } from './judge-recorded.ts';

export async function judgeHeld(
  nodes: readonly SolanaNode[],
  payments: readonly HeldPayment[],
): Promise<readonly HeldVerdict[]> {
  const sent = payments.flatMap(pendingOf);
  const found = sent.length === 0 ? [] : await findMined(nodes, sent);
  const minedOf = new Map(found.map((mined) => [mined.batchId, mined]));
  return payments.map(({ item, recordedTransactionId }): HeldVerdict => {
    if (recordedTransactionId === undefined) return { verdict: 'untraceable' };
    const mined = minedOf.get(item.paymentId);
    if (mined === undefined || !isFinal(mined) || mined.items[0]?.outcome !== 'settled')
      return { verdict: 'undecided' };
    return { verdict: 'taken', outcome: { outcome: 'settled', mined } };
  });
}

function pendingOf({ item, recordedTransactionId: transactionId }: HeldPayment): readonly PendingBatch[] {
  if (transactionId === undefined) return [];
  const transactions = [{ transactionId, raw: new Uint8Array() }];
  return [{ id: item.paymentId, nonce: 0n, status: BATCH_STATUS.broadcast, sentAtMs: 0, transactions, items: [item] }];
}
