// Lists intents of a merchant by filter, newest first, with their latest payments if they are asked for.
import { type Caller, type IntentFilter, metadataDigest, type WalkedPage } from '@svc-pay/core';
import type pg from 'pg';
import { type ListedRows, listedBy } from '../database/listed-by.ts';
import { namedParameters } from '../database/statement-parameters.ts';
import { intentOf, paymentOf } from '../intent/load-intent.ts';
import { walkMetadata } from './find-by-metadata.ts';
import { type ListOrder, ownRows, pageText } from './list-statement.ts';
import {
  INTENT_COLUMNS,
  type ListedIntent,
  type ListedIntentRow,
  loadIntentRows,
  loadPaymentRows,
} from './load-listed.ts';
import { partitionDays } from './partition-days.ts';
import { type ListPage, ROW_BLOCKS, walkList } from './walk-list.ts';

const GIVEN = namedParameters({
  account_id: 'text',
  mode: 'text',
  from_id: 'text',
  to_id: 'text',
  limit: 'integer',
  status: 'text',
});
const { at } = GIVEN;

const textOf = (rows: ListedRows, order: ListOrder) => pageText(INTENT_COLUMNS, 'svc.intents intent', rows, at, order);
const ALL = (order: ListOrder) => ({
  name: `list-intents-all-${order}`,
  text: `with given as (select ${at.status}) ${textOf(ownRows(at), order)}`,
});
const BY_STATUS = (order: ListOrder) => ({
  name: `list-intents-status-${order}`,
  text: textOf(listedBy(at, 'status', at.status), order),
});
const STATEMENTS = {
  all: { older: ALL('older'), newer: ALL('newer') },
  status: { older: BY_STATUS('older'), newer: BY_STATUS('newer') },
};

export type IntentListPage = Pick<ListPage, 'limit' | 'order' | 'position'> & { readonly withPayments: boolean };

export async function listOwnIntents(
  pool: pg.Pool,
  caller: Caller,
  filter: IntentFilter,
  { withPayments, ...page }: IntentListPage,
  nowMs: number,
): Promise<WalkedPage<ListedIntent>> {
  const { createdAfterMs, createdBeforeMs } = filter;
  const range = { ...page, createdAfterMs, createdBeforeMs };
  const found = await findIntents(pool, caller, filter, range, withPayments, nowMs);
  const named = withPayments ? found.rows.flatMap(({ payment_id: paymentId }) => paymentId ?? []) : [];
  const payments = await loadPaymentRows(pool, caller, named, await partitionDays(pool, 'payments', nowMs));
  return {
    more: found.more,
    rows: found.rows.map((row) => {
      const payment = payments.get(row.payment_id ?? '');
      return {
        position: row.id,
        intent: intentOf(row),
        payment: payment === undefined ? null : paymentOf(payment.payment),
      };
    }),
  };
}

async function findIntents(
  pool: pg.Pool,
  caller: Caller,
  { status, metadata }: IntentFilter,
  page: ListPage,
  withPayments: boolean,
  nowMs: number,
): Promise<WalkedPage<ListedIntentRow>> {
  if (metadata !== undefined) {
    const rowBlocks = withPayments ? ROW_BLOCKS.apartWithTwo : ROW_BLOCKS.apartWithOne;
    const found = await walkMetadata(pool, caller, metadataDigest(caller, metadata), page, rowBlocks, nowMs);
    const ids = found.rows.map(({ id }) => id);
    const intents = await loadIntentRows(pool, caller, ids, await partitionDays(pool, 'intents', nowMs));
    return { more: found.more, rows: ids.flatMap((id) => intents.get(id) ?? []) };
  }
  const statement = STATEMENTS[status === undefined ? 'all' : 'status'][page.order];
  const alone = status === undefined ? ROW_BLOCKS.sideBySide : ROW_BLOCKS.apart;
  const rowBlocks = withPayments ? ROW_BLOCKS.apartWithOne : alone;
  const walk = { kind: 'paymentIntent', page, rowBlocks, days: await partitionDays(pool, 'intents', nowMs) } as const;
  return walkList<ListedIntentRow>(caller, nowMs, walk, async (span, limit) => {
    const given = { account_id: caller.accountId, mode: caller.mode, from_id: span.from, to_id: span.to, limit };
    const values = GIVEN.values({ ...given, status: status ?? null });
    return (await pool.query<ListedIntentRow>({ ...statement, values })).rows;
  });
}
