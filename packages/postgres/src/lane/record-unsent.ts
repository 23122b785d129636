// Records payments that the simulation refused. No transaction of ours that can still be mined carries them.
import { judgeItem, type LaneItem, type LaneLease, type UnsentItem } from '@svc-pay/core';
import { newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { type FailedBatchItem, failPayments } from '../payment/payment-results.ts';
import { writePaymentResults } from '../payment/write-payment-results.ts';
import { moveSettlements } from '../settlement/move-settlements.ts';
import { holdRevivable } from '../settlement/reverted-batches.ts';
import { requireLease, withFence } from './lane-fence.ts';

export async function recordUnsent(
  pool: pg.Pool,
  lease: LaneLease,
  unsent: readonly UnsentItem[],
  nowMs: number,
): Promise<boolean> {
  const failed: FailedBatchItem[] = [];
  const kept: LaneItem[] = [];
  for (const { item, outcome } of unsent) {
    const judgement = judgeItem(outcome);
    if (judgement.end === 'failed') failed.push({ item, code: judgement.code });
    else if (judgement.end === 'held') kept.push(item);
  }
  return withFence(pool, async (client) => {
    await requireLease(client, lease);
    const cause = { requestId: newId('batch', nowMs), nowMs };
    const results = await holdRevivable(client, failed);
    await writePaymentResults(client, await failPayments(client, results.failed, null, cause), 'queued', nowMs);
    await moveSettlements(client, [...kept, ...results.heldItems], { from: ['queued'], to: 'held' }, nowMs);
  });
}
