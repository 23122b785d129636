// Rows that name a payment or an account which is not there. The server does the searching; a few of them come back by name.
import type { StrayRows } from '@svc-pay/core';
import type pg from 'pg';

const NAMED = 20;

export const findStrayEntries = (client: pg.ClientBase): Promise<StrayRows> =>
  find(
    client,
    `select e.id from svc.ledger_entries e where not exists (
       select from svc.payments p where p.account_id = e.account_id and p.mode = e.mode and p.id = e.payment_id
     )`,
  );

export const findStrayIntents = (client: pg.ClientBase): Promise<StrayRows> =>
  find(
    client,
    `select i.id from svc.intents i where i.status = 'completed' and not exists (
       select from svc.payments p where p.account_id = i.account_id and p.mode = i.mode and p.id = i.payment_id
     )`,
  );

/** Payments of an account that does not exist, which no walk over accounts would meet. */
export const findStrayPayments = (client: pg.ClientBase): Promise<StrayRows> =>
  find(
    client,
    `select p.id from svc.payments p where not exists (
       select from svc.account_modes m where m.account_id = p.account_id and m.mode = p.mode
     )`,
  );

async function find(client: pg.ClientBase, strays: string): Promise<StrayRows> {
  const { rows } = await client.query<{ count: number; ids: readonly string[] | null }>(
    `select count(*)::integer as count, (array_agg(id order by id))[1:${NAMED}] as ids from (${strays}) as stray`,
  );
  const { count = 0, ids = null } = rows[0] ?? {};
  return { count, ids: ids ?? [] };
}
