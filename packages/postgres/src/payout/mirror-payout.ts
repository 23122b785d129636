// Mirrors the status of a payout from the chain's registry.
import { decideMirroredPayout, type MirroredPayout, type PayoutShares, type RegisteredPayout } from '@svc-pay/core';
import type { Operation } from '../audit/operation.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { PAYOUT_COLUMNS, type PayoutDbRow, payoutOf } from './payout-row.ts';

export async function mirrorPayout(operation: Operation, registered: RegisteredPayout): Promise<MirroredPayout> {
  const { pool, nowMs, actor } = operation;
  const { network, processor, payoutId, transactionId, terms } = registered;
  return inTransaction(pool, async (client): Promise<MirroredPayout> => {
    const { rows } = await client.query<PayoutDbRow>(
      `select ${PAYOUT_COLUMNS} from svc.payouts
       where network = $1 and processor = $2 and payout_id = $3::bigint and kind = 'processor' for update`,
      [network, processor.toLowerCase(), payoutId.toString()],
    );
    const payout = rows[0] && payoutOf(rows[0]);
    const { result, status } = decideMirroredPayout(payout, registered);
    if (payout === undefined || status === undefined) return result;
    await client.query(
      `update svc.payouts set status = $5, transaction_id = coalesce($6, transaction_id)
       where network = $1 and processor = $2 and payout_id = $3::bigint and status = $4`,
      [network, payout.processor, payout.payoutId, payout.status, status, transactionId],
    );
    await writeAudit(client, nowMs, {
      accountId: payout.accountId,
      mode: payout.mode,
      actor,
      action: 'payout.mirrored',
      target: `${network}/${payout.processor}/${payoutId}`,
      detail: {
        from: payout.status,
        to: status,
        transactionId,
        ...(result === 'differs' && terms !== undefined && { registered: shownTerms(terms) }),
      },
    });
    return result;
  });
}

const shownTerms = ({ merchant, feeBps, splits }: PayoutShares) => ({
  merchant,
  feeBps,
  splits: splits.map(({ to, bps }) => ({ to, bps })),
});
