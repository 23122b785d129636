// Tables of refunds in memory. What a lane changes of a signed refund is in its row among the lanes' tables.
import type { RefundTotals, StoredRefund } from '../index.ts';

export type AskedRefundRow = {
  /** Position in page order, and in the queue of lanes. */
  readonly number: bigint;
  refund: StoredRefund;
  signature: string | null;
  byContract: boolean;
  reservedAtomic: bigint;
  canceledAtMs: number | null;
  /** The intent was completed already when the refund was prepared. */
  readonly afterSuccess: boolean;
};

export type RefundTotalsRow = RefundTotals & { readonly lastSequence: number };

export type MemoryRefundTables = {
  /** By refund. */
  readonly askedRefunds: Map<string, AskedRefundRow>;
  /** By payment. */
  readonly refundTotals: Map<string, RefundTotalsRow>;
};

/** As `svc.installation.id`. */
export const MEMORY_INSTALLATION = '00000000-0000-4000-8000-000000000001';

export function createRefundTables(): MemoryRefundTables {
  return { askedRefunds: new Map(), refundTotals: new Map() };
}
