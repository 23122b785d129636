// Bugs of refunds to put in on purpose.
import type { RefundBug } from './refund-merchant.ts';
import type { LaneBug, WatchBug } from './settlement-process.ts';

/** A submitted refund holds nothing back: the next one may have the same money. */
const reservingNothing: RefundBug = (store, { askedRefunds, refundTotals }) => ({
  ...store,
  submit: async (...given) => {
    const answer = await store.submit(...given);
    const row = answer.ok ? askedRefunds.get(answer.refund.id) : undefined;
    const totals = row && refundTotals.get(row.refund.paymentId);
    if (row === undefined || totals === undefined) return answer;
    refundTotals.set(row.refund.paymentId, { ...totals, reservedAtomic: totals.reservedAtomic - row.reservedAtomic });
    row.reservedAtomic = 0n;
    return answer;
  },
});

/** Whether the refund and its log counted before is not asked. */
const refundingTwice: WatchBug = (stores, { askedRefunds, refunds, proofs }) => ({
  ...stores,
  refunds: {
    ...stores.refunds,
    complete: (key, evidence, nowMs) => {
      const row = askedRefunds.get(key.id);
      const lane = refunds.get(key.id);
      if (row?.refund.status === 'completed') {
        row.refund = { ...row.refund, status: 'queued' };
        if (lane !== undefined) lane.status = 'queued';
        proofs.delete(`${row.refund.network} ${evidence.transactionId} ${evidence.logIndex}`);
      }
      return stores.refunds.complete(key, evidence, nowMs);
    },
  },
});

/** A refund whose signature somebody used is taken for failed, and its amount is free again. */
const releasingUsed: LaneBug = (parts, { askedRefunds, refunds, refundTotals }) => ({
  ...parts,
  store: {
    ...parts.store,
    recordUnsent: (lease, unsent) => {
      for (const { item, outcome } of unsent) {
        const row = askedRefunds.get(item.refund?.id ?? '');
        const lane = refunds.get(item.refund?.id ?? '');
        const totals = refundTotals.get(item.paymentId);
        if (outcome === 'expired' || !row || !lane || !totals || lane.status !== 'queued') continue;
        refundTotals.set(item.paymentId, { ...totals, reservedAtomic: totals.reservedAtomic - row.reservedAtomic });
        row.refund = { ...row.refund, status: 'failed' };
        row.reservedAtomic = 0n;
        lane.status = 'failed';
      }
      return parts.store.recordUnsent(lease, unsent);
    },
  },
});

export const REFUND_BUGS = { reservingNothing } as const;
export const REFUND_WATCH_BUGS = { refundingTwice } as const;
export const REFUND_LANE_BUGS = { releasingUsed } as const;
