// Locks a refund with the totals of its payment, always the totals first, as the functions of the API do.
import type { RefundKey, RefundTotals } from '@svc-pay/core';
import type pg from 'pg';
import { REFUND_COLUMNS, type RefundRow } from './refund-row.ts';

const LOCK_TOTALS = {
  name: 'lock-refund-totals',
  text: `
    select paid, refunded, reserved from svc.refund_totals
    where account_id = $1 and mode = $2 and payment_id = (
      select payment_id from svc.refunds where account_id = $1 and mode = $2 and id = $3
    )
    for update`,
};
const LOCK_REFUND = {
  name: 'lock-refund',
  text: `
    select ${REFUND_COLUMNS}, r.reserved from svc.refunds r
    where r.account_id = $1 and r.mode = $2 and r.id = $3 for update`,
};

type TotalsRow = { readonly paid: string; readonly refunded: string; readonly reserved: string };

export type LockedRefund = {
  readonly totals: RefundTotals;
  readonly row: RefundRow & { readonly reserved: string };
};

export async function lockRefund(client: pg.ClientBase, { accountId, mode, id }: RefundKey): Promise<LockedRefund> {
  const values = [accountId, mode, id];
  const [totals] = (await client.query<TotalsRow>({ ...LOCK_TOTALS, values })).rows;
  const [row] = (await client.query<LockedRefund['row']>({ ...LOCK_REFUND, values })).rows;
  if (totals === undefined || row === undefined) throw new Error(`refund ${id} or the totals of its payment are gone`);
  return {
    totals: {
      paidAtomic: BigInt(totals.paid),
      refundedAtomic: BigInt(totals.refunded),
      reservedAtomic: BigInt(totals.reserved),
    },
    row,
  };
}

const WRITE_TOTALS = {
  name: 'write-refund-totals',
  text: 'update svc.refund_totals set refunded = $4, reserved = $5 where account_id = $1 and mode = $2 and payment_id = $3',
};

export async function writeTotals(
  client: pg.ClientBase,
  { account_id, mode, payment_id }: RefundRow,
  { refundedAtomic, reservedAtomic }: RefundTotals,
): Promise<void> {
  const values = [account_id, mode, payment_id, refundedAtomic.toString(), reservedAtomic.toString()];
  await client.query({ ...WRITE_TOTALS, values });
}
