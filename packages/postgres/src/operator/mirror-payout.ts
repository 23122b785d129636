// What the chain's registry says about a payout, written into its row. The registry is right; a row that differs is not
// changed but named, because somebody has to look.
import type { Split } from '@svc-pay/money';
import { inTransaction } from '../stores/in-transaction.ts';
import { writeAudit } from '../stores/write-audit.ts';
import type { Operation } from './operation.ts';
import { PAYOUT_COLUMNS, type PayoutDbRow, payoutOf } from './payout-row.ts';

export type RegisteredPayout = {
  readonly network: string;
  readonly processor: string;
  readonly payoutId: bigint;
  readonly status: 'active' | 'disabled';
  /** Null when it was found registered and nobody knows by which transaction. */
  readonly transactionId: string | null;
  /** Undefined when the registry only says that it was switched off. */
  readonly terms?: { readonly merchant: string; readonly feeBps: number; readonly splits: readonly Split[] };
};

export type MirroredPayout = 'changed' | 'same' | 'unknown' | 'differs';

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
    if (terms !== undefined && keyOf(terms) !== keyOf(payout)) return 'differs';
    // Registered is what it was before it was switched off: reading the events again must not switch it on.
    if (payout.status === status || payout.status === 'disabled') return 'same';
    await client.query(
      `update svc.payouts set status = $4, transaction_id = coalesce($5, transaction_id)
       where network = $1 and processor = $2 and payout_id = $3::bigint`,
      [network, processor.toLowerCase(), payoutId.toString(), status, transactionId],
    );
    await writeAudit(client, nowMs, {
      accountId: payout.accountId,
      mode: payout.mode,
      actor,
      action: 'payout.mirrored',
      target: `${network}/${payout.processor}/${payoutId}`,
      detail: { from: payout.status, to: status, transactionId },
    });
    return 'changed';
  });
}

function keyOf(terms: {
  readonly merchant: string;
  readonly feeBps: number;
  readonly splits: readonly Split[];
}): string {
  const splits = terms.splits.map(({ to, bps }) => [to.toLowerCase(), bps]);
  return JSON.stringify([terms.merchant.toLowerCase(), terms.feeBps, splits]);
}
