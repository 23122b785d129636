// Payments as services write them, for the figures of accounts: each step is one transaction.
import { type Mode, NATIVE_ASSET } from '@svc-pay/core';
import { newId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';
import { foldOverview } from '../overview/fold-overview.ts';
import { writeEntries } from '../payment/write-payment-results.ts';
import { type BookedRows, type BookedWish, bookReversal, bookSettled } from './book-settled.ts';
import { insertRow } from './sample-rows.ts';

export type OverviewOwner = { readonly accountId: string; readonly mode: Mode };

type PaidWish = BookedWish & {
  /** Dollars for a whole token, in units of 10^-18. */
  readonly rateAtto?: bigint;
  /** Value of the gas in the token. */
  readonly gasValue?: bigint;
  /** How long before its booking it began. */
  readonly tookMs?: number;
};

let code = 5_000_000;

export function payBooked(pool: pg.Pool, { rateAtto, gasValue, tookMs = 0, ...wish }: PaidWish): Promise<BookedRows> {
  return inTransaction(pool, async (client) => {
    const booked = await bookSettled(client, wish);
    await client.query(
      'update svc.payments set usd_per_token_atto = $2, external_cost_amount = $3, created_at = $4 where id = $1',
      [booked.paymentId, rateAtto ?? null, gasValue ?? null, new Date(wish.nowMs - tookMs)],
    );
    return booked;
  });
}

/** As after a reorg. */
export function takeBack(pool: pg.Pool, booked: BookedRows, nowMs: number): Promise<void> {
  return inTransaction(pool, async (client) => {
    await client.query(
      `update svc.payments set status = 'pending', paid_amount = null, completed_at = null, external_cost_amount = null
       where id = $1`,
      [booked.paymentId],
    );
    await bookReversal(client, booked, nowMs);
  });
}

/** Settles a payment that was taken back. */
export function payAgain(
  pool: pg.Pool,
  booked: BookedRows,
  { nowMs, gasValue }: { readonly nowMs: number; readonly gasValue: bigint | null },
): Promise<BookedRows> {
  return inTransaction(pool, async (client) => {
    await client.query(
      `update svc.payments set status = 'completed', paid_amount = 1, completed_at = now(), external_cost_amount = $2
       where id = $1`,
      [booked.paymentId, booked.entries.some(({ asset }) => asset === NATIVE_ASSET) ? gasValue : null],
    );
    const entries = booked.entries.map((entry) => ({ ...entry, id: newId('ledgerEntry', nowMs), createdAtMs: nowMs }));
    await writeEntries(client, entries);
    return { ...booked, entries };
  });
}

export async function giveBack(
  pool: pg.Pool,
  { entries }: BookedRows,
  amountAtomic: bigint,
  nowMs: number,
): Promise<void> {
  const first = entries.find(({ accountName }) => accountName === 'merchant');
  if (first === undefined) throw new Error('no merchant');
  const part = (accountName: 'merchant' | 'payer', amount: bigint) => ({
    ...first,
    id: newId('ledgerEntry', nowMs),
    accountName,
    amountAtomic: amount,
    createdAtMs: nowMs,
  });
  await inTransaction(pool, (client) =>
    writeEntries(client, [part('merchant', -amountAtomic), part('payer', amountAtomic)]),
  );
}

/** A payment that begins and fails. */
export async function failOne(
  pool: pg.Pool,
  { accountId, mode }: OverviewOwner,
  failureCode: string,
  nowMs: number,
): Promise<void> {
  const id = newId('payment', nowMs);
  await insertRow(pool, 'payments', {
    account_id: accountId,
    mode,
    id,
    status: 'pending',
    created_at: new Date(nowMs),
  });
  await pool.query(`update svc.payments set status = 'failed', failure_code = $2, updated_at = $3 where id = $1`, [
    id,
    failureCode,
    new Date(nowMs),
  ]);
}

/** Money of another amount than asked. Returns what accepts it. */
export async function payOther(
  pool: pg.Pool,
  { accountId, mode }: OverviewOwner,
  nowMs: number,
): Promise<() => Promise<void>> {
  const [id, intentId, at] = [newId('payment', nowMs), newId('paymentIntent', nowMs), new Date(nowMs)];
  const tenant = { account_id: accountId, mode };
  code += 1;
  await inTransaction(pool, async (client) => {
    await insertRow(client, 'intents', {
      ...tenant,
      id: intentId,
      intent_code: code,
      payment_id: id,
      status: 'mismatched',
    });
    const paid = { paid_amount: '5', created_at: at, updated_at: at };
    await insertRow(client, 'payments', { ...tenant, id, intent_id: intentId, status: 'mismatched', ...paid });
    await client.query(
      `insert into svc.ledger_entries (account_id, mode, id, payment_id, network, asset, account_name, party, amount,
         transaction_id, log_index, created_at)
       select p.account_id, p.mode, side.id, p.id, p.network, p.asset, side.name, 'p', side.amount, '0x', 1, $3
       from svc.payments p, (values ($1, 'payer', -5), ($2, 'merchant', 5)) as side (id, name, amount) where p.id = $4`,
      [newId('ledgerEntry', nowMs), newId('ledgerEntry', nowMs), at, id],
    );
  });
  return () =>
    inTransaction(pool, async (client) => {
      await client.query(`update svc.payments set status = 'completed', completed_at = now() where id = $1`, [id]);
    });
}

/** Folds until everything that is committed now is counted: transactions of other tests hold the fold back. */
export async function foldAll(pool: pg.Pool): Promise<void> {
  const beganMs = Date.now();
  for (;;) {
    const { drained, asOfMs } = await foldOverview(pool);
    if (drained && asOfMs !== null && asOfMs >= beganMs) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Rows of the shown generation. */
export async function figuresOf(pool: pg.Pool): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const read = async (table: string, order: string) => {
    const { rows } = await pool.query(
      `select to_jsonb(f) - 'generation' as row from svc.${table} f
       where generation = (select generation from svc.overview_cursors where shown) order by ${order}`,
    );
    return rows.map(({ row }) => row as unknown);
  };
  return {
    buckets: await read('overview_buckets', 'account_id, mode, hour, network, asset'),
    failures: await read('overview_failures', 'account_id, mode, hour, code'),
    times: await read('overview_times', 'account_id, mode, hour, bin'),
  };
}
