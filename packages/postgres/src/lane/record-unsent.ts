// Records payments that the simulation refused. No transaction of ours that can still be mined carries them.
import { judgeUnsettledItems, type LaneLease, SETTLEMENT_STATUS, type UnsentItem } from '@svc-pay/core';
import { newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { failPayments } from '../payment/payment-results.ts';
import { writePaymentResults } from '../payment/write-payment-results.ts';
import { holdSettlements } from '../settlement/move-settlements.ts';
import { loadRevertedBatches } from '../settlement/reverted-batches.ts';
import { requireLease, withFence } from './lane-fence.ts';

export async function recordUnsent(
  pool: pg.Pool,
  lease: LaneLease,
  unsent: readonly UnsentItem[],
  nowMs: number,
): Promise<boolean> {
  return withFence(pool, async (client) => {
    await requireLease(client, lease);
    const cause = { requestId: newId('batch', nowMs), nowMs };
    const items = unsent.map(({ item }) => item);
    const { failed, held } = judgeUnsettledItems(unsent, await loadRevertedBatches(client, items));
    await writePaymentResults(client, await failPayments(client, failed, null, cause), SETTLEMENT_STATUS.queued, nowMs);
    await holdSettlements(client, held, SETTLEMENT_STATUS.queued, nowMs);
  });
}
