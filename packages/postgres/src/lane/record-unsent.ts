// Records payments and refunds that the simulation refused. No transaction of ours that can still be mined carries them.
import { judgeUnsettledItems, type LaneLease, NO_LINK, SETTLEMENT_STATUS, type UnsentItem } from '@svc-pay/core';
import { newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { linkPayments } from '../payment/link-payments.ts';
import { failPayments } from '../payment/payment-results.ts';
import { writePaymentResults } from '../payment/write-payment-results.ts';
import { holdSettlements } from '../settlement/move-settlements.ts';
import { loadRevertedBatches } from '../settlement/reverted-batches.ts';
import { requireLease, withFence } from './lane-fence.ts';
import { refuseRefunds } from './refund-items.ts';

export async function recordUnsent(
  pool: pg.Pool,
  lease: LaneLease,
  unsent: readonly UnsentItem[],
  nowMs: number,
): Promise<boolean> {
  return withFence(pool, async (client) => {
    await requireLease(client, lease);
    const cause = { requestId: newId('batch', nowMs), nowMs };
    const payments = unsent.filter(({ item }) => item.refund === undefined);
    await refuseRefunds(
      client,
      unsent.filter((one) => !payments.includes(one)),
      nowMs,
    );
    if (payments.length === 0) return;
    const items = payments.map(({ item }) => item);
    const { failed, held } = judgeUnsettledItems(payments, await loadRevertedBatches(client, items));
    // An older release may have left the name of a transaction on a payment that left its batch.
    await linkPayments(
      client,
      failed.map(({ item }) => ({ item, link: NO_LINK, requestId: cause.requestId })),
      nowMs,
    );
    await writePaymentResults(client, await failPayments(client, failed, null, cause), SETTLEMENT_STATUS.queued, nowMs);
    await holdSettlements(client, held, SETTLEMENT_STATUS.queued, nowMs);
  });
}
