import type { Caller } from '@svc-pay/core';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { type ListedPayment, listedPayment, loadIntentRows, loadPaymentRows } from './load-listed.ts';

/** Undefined if the caller has no such payment. */
export async function findPayment(
  pool: pg.Pool,
  caller: Caller,
  paymentId: Id<'payment'>,
): Promise<ListedPayment | undefined> {
  const row = (await loadPaymentRows(pool, caller, [paymentId])).get(paymentId);
  if (row === undefined) return undefined;
  const intents = await loadIntentRows(pool, caller, [row.intent_id]);
  return listedPayment(paymentId, row, intents.get(row.intent_id)) ?? undefined;
}
