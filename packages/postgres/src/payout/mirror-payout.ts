// Mirrors the status of a payout from the chain's registry, which is authoritative. If the terms differ, the row keeps
// its terms for a person to look at, and is `pending` until they agree: new intents do not use it, and open acceptances
// of it are not settled, because the chain would divide the money by other terms than the ledger.
import type { MirroredPayout, RegisteredPayout } from '@svc-pay/core';
import type { Operation } from '../audit/operation.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { PAYOUT_COLUMNS, type PayoutDbRow, payoutOf } from './payout-row.ts';

export async function mirrorPayout(operation: Operation, registered: RegisteredPayout): Promise<MirroredPayout> {
  const { pool, nowMs, actor } = operation;
  const { network, processor, payoutId, status, transactionId, terms } = registered;
  return inTransaction(pool, async (client): Promise<MirroredPayout> => {
    const { rows } = await client.query<PayoutDbRow>(
      `select ${PAYOUT_COLUMNS} from svc.payouts
       where network = $1 and processor = $2 and payout_id = $3::bigint for update`,
      [network, processor.toLowerCase(), payoutId.toString()],
    );
    const payout = rows[0] && payoutOf(rows[0]);
    if (payout === undefined) return 'unknown';
    const differs = terms !== undefined && keyOf(terms) !== keyOf(payout);
    const wanted = differs ? 'pending' : status;
    // A disabled payout was registered before: reading its registration event again must not enable it.
    if (payout.status === wanted || payout.status === 'disabled') return differs ? 'differs' : 'same';
    await client.query(
      `update svc.payouts set status = $4, transaction_id = coalesce($5, transaction_id)
       where network = $1 and processor = $2 and payout_id = $3::bigint`,
      [network, processor.toLowerCase(), payoutId.toString(), wanted, transactionId],
    );
    await writeAudit(client, nowMs, {
      accountId: payout.accountId,
      mode: payout.mode,
      actor,
      action: 'payout.mirrored',
      target: `${network}/${payout.processor}/${payoutId}`,
      detail: { from: payout.status, to: wanted, transactionId, ...(differs && { registered: shownTerms(terms) }) },
    });
    return differs ? 'differs' : 'changed';
  });
}

type Terms = NonNullable<RegisteredPayout['terms']>;

const shownTerms = ({ merchant, feeBps, splits }: Terms) => ({
  merchant,
  feeBps,
  splits: splits.map(({ to, bps }) => ({ to, bps })),
});

function keyOf(terms: Terms): string {
  const splits = terms.splits.map(({ to, bps }) => [to.toLowerCase(), bps]);
  return JSON.stringify([terms.merchant.toLowerCase(), terms.feeBps, splits]);
}
