import { type BookedPaymentRow, isIntentCode } from '@svc-pay/core';
import type pg from 'pg';
import { type BookedDbRow, bookedRowOf, bookedRows } from './booked-row.ts';

const PAGE = 500;
const TENANTS = 1_000;

type Tenant = { readonly account_id: string; readonly mode: string };

// The limit is a constant of the text: docs/internals/planner-rules.md, rule 7.
const NEXT_PAGE = `${bookedRows(`
  select * from svc.payments where account_id = $1 and mode = $2 and id > $3 order by id limit ${PAGE}`)} order by p.id`;

/** Reads account by account, because the key begins with it. `findStrayPayments` finds payments without an account. */
export async function* readPayments(client: pg.ClientBase): AsyncGenerator<readonly BookedPaymentRow[]> {
  for await (const { account_id, mode } of readTenants(client)) {
    let after = '';
    for (;;) {
      const { rows } = await client.query<BookedDbRow>({
        name: 'ledger-payments',
        text: NEXT_PAGE,
        values: [account_id, mode, after],
      });
      const last = rows.at(-1);
      if (last === undefined) break;
      yield rows.map(bookedRowOf);
      if (rows.length < PAGE) break;
      after = last.id;
    }
  }
}

async function* readTenants(client: pg.ClientBase): AsyncGenerator<Tenant> {
  let after: Tenant = { account_id: '', mode: '' };
  for (;;) {
    const { rows } = await client.query<Tenant>({
      name: 'ledger-tenants',
      text: `select account_id, mode from svc.account_modes where (account_id, mode) > ($1, $2)
        order by account_id, mode limit ${TENANTS}`,
      values: [after.account_id, after.mode],
    });
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < TENANTS) return;
    after = last;
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
  // A code that is not one of ours may not fit a Postgres bigint.
  const ours = codes.filter(isIntentCode);
  if (ours.length === 0) return [];
  const { rows } = await client.query<BookedDbRow>({
    name: 'ledger-payments-of-codes',
    text: OF_CODES,
    values: [ours.map(String)],
  });
  return rows.map(bookedRowOf);
}

const STRANDED = `${bookedRows(`
  select paid.* from (
    select account_id, mode, payment_id from svc.stranded_transfers
    where network = $1 and payment_id is not null and (account_id, mode, payment_id) > ($2, $3, $4)
    order by account_id, mode, payment_id limit ${PAGE}
  ) known
  join svc.payments paid
    on paid.account_id = known.account_id and paid.mode = known.mode and paid.id = known.payment_id`)}
  order by p.account_id, p.mode, p.id`;

export async function* readStrandedTransfers(
  client: pg.ClientBase,
  network: string,
): AsyncGenerator<readonly BookedPaymentRow[]> {
  let after = ['', '', ''];
  for (;;) {
    const { rows } = await client.query<BookedDbRow>({
      name: 'ledger-stranded-transfers',
      text: STRANDED,
      values: [network, ...after],
    });
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows.map(bookedRowOf);
    if (rows.length < PAGE) return;
    after = [last.account_id, last.mode, last.id];
  }
}
