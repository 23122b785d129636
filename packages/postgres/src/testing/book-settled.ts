// Books payments as a lane does: rows of intent and payment, then the entries of each in one statement.
import { bookPayment, type LedgerEntry, type Mode, reverseEntries } from '@svc-pay/core';
import { settledPayment } from '@svc-pay/core/testing';
import { newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { writeEntries } from '../payment/write-payment-results.ts';
import { insertRow } from './sample-rows.ts';

/** `basesepolia_usdc` of the catalogue. */
const USDC = '0x036CbD53842c5426634e7929541eC2318f3dCF7e';

export type BookedWish = Parameters<typeof settledPayment>[0] & {
  readonly accountId: string;
  readonly mode?: Mode;
  readonly nowMs: number;
  readonly metadata?: string;
};

export type BookedRows = {
  readonly paymentId: string;
  readonly intentId: string;
  readonly entries: readonly LedgerEntry[];
};

let code = 1_000;

export async function bookSettled(client: pg.Pool | pg.ClientBase, wish: BookedWish): Promise<BookedRows> {
  const { accountId, mode = 'test', nowMs, metadata = '{}', ...terms } = wish;
  const settled = settledPayment(terms);
  const paymentId = newId('payment', nowMs);
  const intentId = newId('paymentIntent', nowMs);
  const item = { ...settled.item, accountId: accountId as never, mode, asset: USDC, paymentId, intentId };
  const mined = { ...settled.mined, paymentId };
  const { entries } = bookPayment({ ...settled, item, mined }, { nowMs });
  const at = new Date(nowMs);
  const times = { created_at: at, updated_at: at };
  code += 1;
  const tenant = { account_id: accountId, mode };
  await insertRow(client, 'intents', {
    ...tenant,
    ...times,
    id: intentId,
    intent_code: code,
    status: 'completed',
    payment_id: paymentId,
    metadata,
  });
  await insertRow(client, 'payments', {
    ...tenant,
    ...times,
    id: paymentId,
    intent_id: intentId,
    status: 'completed',
    asset: USDC,
    payer: item.payer,
    paid_amount: item.settledAtomic.toString(),
    completed_at: at,
  });
  await writeEntries(client as pg.ClientBase, entries);
  return { paymentId, intentId, entries };
}

export async function bookReversal(
  client: pg.Pool | pg.ClientBase,
  { entries }: BookedRows,
  nowMs: number,
): Promise<void> {
  await writeEntries(client as pg.ClientBase, reverseEntries(entries, { nowMs }));
}
