// Lists payments by filter, newest first. Each filter reads its own index in order until the page is full, then the intents of
// the page by their keys. Filters beside an intent or a transaction are applied to its few rows.
import {
  type Caller,
  choosePaymentIndex,
  metadataDigest,
  type PaymentFilter,
  type PaymentIndex,
  type WalkedPage,
} from '@svc-pay/core';
import type pg from 'pg';
import { type ListedRows, listedBy } from '../database/listed-by.ts';
import { withoutIndex } from '../database/planner.ts';
import { namedParameters } from '../database/statement-parameters.ts';
import { walkMetadata } from './find-by-metadata.ts';
import { LIST_ORDERS, type ListOrder, ownRows, pageText } from './list-statement.ts';
import {
  type ListedPayment,
  type ListedPaymentRow,
  listedPayment,
  loadIntentRows,
  loadPaymentRows,
  PAYMENT_COLUMNS,
} from './load-listed.ts';
import { partitionDays } from './partition-days.ts';
import { type ListPage, ROW_BLOCKS, walkList } from './walk-list.ts';

const GIVEN = namedParameters({
  account_id: 'text',
  mode: 'text',
  from_id: 'text',
  to_id: 'text',
  limit: 'integer',
  value: 'text',
});
const { at } = GIVEN;
/** Of the filters beside an intent or a transaction. */
const BESIDE = namedParameters(
  { status: 'text', network: 'text', token_shortcode: 'text', payer: 'text', transaction_id: 'text' },
  GIVEN.next,
);
const OF_FOUND = Object.entries(BESIDE.at)
  .map(([column, value]) => `(${value} is null or ${withoutIndex(column)} = ${value})`)
  .join(' and ');

type Walked = Exclude<PaymentIndex, 'metadata'>;

const ROWS: Readonly<Record<Walked, ListedRows>> = {
  all: ownRows(at),
  status: listedBy(at, 'status', at.value),
  network: listedBy(at, 'network', at.value),
  token: listedBy(at, 'token_shortcode', at.value),
  payer: listedBy(at, 'payer', at.value),
  transaction: narrow(listedBy(at, 'transaction_id', at.value)),
  intent: narrow(listedBy(at, 'intent_id', at.value)),
};

function narrow({ where, order }: ListedRows): ListedRows {
  return { where: `${where} and ${OF_FOUND}`, order };
}

const isNarrow = (index: Walked) => index === 'transaction' || index === 'intent';

const STATEMENTS = new Map(
  (Object.keys(ROWS) as Walked[]).flatMap((index) =>
    LIST_ORDERS.map((order) => [
      `${index}-${order}`,
      { name: `list-payments-${index}-${order}`, text: textOf(index, order) },
    ]),
  ),
);

function textOf(index: Walked, order: ListOrder): string {
  const page = pageText(PAYMENT_COLUMNS, 'svc.payments payment', ROWS[index], at, order);
  // Gives the filter's value a type where no filter is.
  return index === 'all' ? `with given as (select ${at.value}) ${page}` : page;
}

export async function listPayments(
  pool: pg.Pool,
  caller: Caller,
  filter: PaymentFilter,
  page: Pick<ListPage, 'limit' | 'order' | 'position'>,
  nowMs: number,
): Promise<WalkedPage<ListedPayment>> {
  const chosen = choosePaymentIndex(filter);
  if (!chosen.ok) throw new Error(`payments of ${caller.accountId} are listed by filters that have no index`);
  const { index } = chosen;
  if (index === 'none') return { rows: [], more: undefined };
  const { createdAfterMs, createdBeforeMs } = filter;
  const range = { ...page, createdAfterMs, createdBeforeMs };
  if (index === 'metadata') return listByMetadata(pool, caller, filter, range, nowMs);
  const statement = STATEMENTS.get(`${index}-${page.order}`);
  if (statement === undefined) throw new Error(`no statement lists payments by ${index}`);
  const rowBlocks = index === 'all' ? ROW_BLOCKS.sideBySide : ROW_BLOCKS.apartWithOne;
  const found = await walkList<ListedPaymentRow>(
    caller,
    nowMs,
    { kind: 'payment', page: range, rowBlocks, days: await partitionDays(pool, 'payments', nowMs) },
    async (span, limit) => {
      const given = { account_id: caller.accountId, mode: caller.mode, from_id: span.from, to_id: span.to, limit };
      const values = GIVEN.values({ ...given, value: valueOf(filter, index) ?? null });
      const { rows } = await pool.query<ListedPaymentRow>({
        ...statement,
        values: isNarrow(index) ? [...values, ...besideValues(filter)] : values,
      });
      return rows;
    },
  );
  const ids = found.rows.map(({ intent_id }) => intent_id);
  const intents = await loadIntentRows(pool, caller, ids, await partitionDays(pool, 'intents', nowMs));
  return {
    more: found.more,
    rows: found.rows.flatMap((row) => listedPayment(row.id, row, intents.get(row.intent_id)) ?? []),
  };
}

function valueOf(filter: PaymentFilter, index: Walked): string | undefined {
  const { status, network, tokenShortcode: token, payer, transactionId: transaction, intentId: intent } = filter;
  return { all: undefined, status, network, token, payer, transaction, intent }[index];
}

function besideValues({ status, network, tokenShortcode, payer, transactionId }: PaymentFilter): unknown[] {
  return BESIDE.values({
    status: status ?? null,
    network: network ?? null,
    token_shortcode: tokenShortcode ?? null,
    payer: payer ?? null,
    transaction_id: transactionId ?? null,
  });
}

/** The latest payment of each intent, in the order of the intents. Positions are ids of intents. */
async function listByMetadata(
  pool: pg.Pool,
  caller: Caller,
  { metadata }: PaymentFilter,
  page: ListPage,
  nowMs: number,
): Promise<WalkedPage<ListedPayment>> {
  if (metadata === undefined) throw new Error('a list by metadata has no metadata');
  const digest = metadataDigest(caller, metadata);
  const found = await walkMetadata(pool, caller, digest, page, ROW_BLOCKS.apartWithTwo, nowMs);
  const ids = found.rows.map(({ id }) => id);
  const intents = await loadIntentRows(pool, caller, ids, await partitionDays(pool, 'intents', nowMs));
  const paid = [...intents.values()].flatMap(({ payment_id: paymentId }) => paymentId ?? []);
  const payments = await loadPaymentRows(pool, caller, paid, await partitionDays(pool, 'payments', nowMs));
  return {
    more: found.more,
    rows: ids.flatMap((id) => {
      const intent = intents.get(id);
      return listedPayment(id, payments.get(intent?.payment_id ?? ''), intent) ?? [];
    }),
  };
}
