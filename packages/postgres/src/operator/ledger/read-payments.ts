import type { BookedPaymentRow } from '@svc-pay/core';
import type pg from 'pg';
import { type BookedDbRow, bookedRowOf, bookedRows } from './booked-row.ts';

const PAGE = 500;

const NEXT_PAGE = bookedRows(`
  select * from svc.payments where (account_id, mode, id) > ($1, $2, $3) order by account_id, mode, id limit $4`);

export async function* readPayments(client: pg.ClientBase): AsyncGenerator<readonly BookedPaymentRow[]> {
  let after: readonly [string, string, string] = ['', '', ''];
  for (;;) {
    const { rows } = await client.query<BookedDbRow>({
      name: 'ledger-payments',
      text: `${NEXT_PAGE} order by p.account_id, p.mode, p.id`,
      values: [...after, PAGE],
    });
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows.map(bookedRowOf);
    if (rows.length < PAGE) return;
    after = [last.account_id, last.mode, last.id];
  }
}

const OF_CODES = bookedRows(`
  select paid.* from unnest($1::bigint[]) as asked (code)
  join svc.intent_codes known on known.intent_code = asked.code
  join svc.intents named on named.account_id = known.account_id and named.mode = known.mode and named.id = known.intent_id
  join svc.payments paid
    on paid.account_id = named.account_id and paid.mode = named.mode and paid.id = named.payment_id`);

export async function readPaymentsOfCodes(
  client: pg.ClientBase,
  codes: readonly bigint[],
): Promise<readonly BookedPaymentRow[]> {
  // A chain's code may be any 64 bits; ours are below 2^53, and a larger one would be no bigint of Postgres.
  const ours = codes.filter((code) => code < 2n ** 53n);
  if (ours.length === 0) return [];
  const { rows } = await client.query<BookedDbRow>({
    name: 'ledger-payments-of-codes',
    text: OF_CODES,
    values: [ours.map(String)],
  });
  return rows.map(bookedRowOf);
}
