// Finds rows that name a payment or an account that does not exist. Returns their number and the first few ids.
import { INTENT_STATUS, PAYMENT_STATUS, REFUND_STATUS, type StrayRows } from '@svc-pay/core';
import type pg from 'pg';
import { sqlIs } from '../database/status-sql.ts';

const NAMED = 20;

export const findStrayEntries = (client: pg.ClientBase): Promise<StrayRows> =>
  find(
    client,
    `select e.id from svc.ledger_entries e where not exists (
       select from svc.payments p where p.account_id = e.account_id and p.mode = e.mode and p.id = e.payment_id
     )`,
  );

export const findStrayLosses = (client: pg.ClientBase): Promise<StrayRows> =>
  find(
    client,
    `select l.id from svc.gas_losses l where (
       l.payment_id is not null and not exists (
         select from svc.payments p where p.account_id = l.account_id and p.mode = l.mode and p.id = l.payment_id
       )
     ) or (
       l.reverses is null and l.amount < 0
     ) or (
       l.reverses is not null and not exists (
         select from svc.gas_losses first
         where first.id = l.reverses and first.reverses is null and first.batch_id = l.batch_id
           and first.payment_id is not distinct from l.payment_id and first.amount = -l.amount
       )
     ) or exists (
       select from svc.gas_losses twin where twin.batch_id = l.batch_id and twin.reverses = l.reverses and twin.id < l.id
     )`,
  );

export const findStrayIntents = (client: pg.ClientBase): Promise<StrayRows> =>
  find(
    client,
    `select i.id from svc.intents i where i.status ${sqlIs(INTENT_STATUS.completed)} and not exists (
       select from svc.payments p where p.account_id = i.account_id and p.mode = i.mode and p.id = i.payment_id
     )`,
  );

/**
 * Payments of an account that does not exist. `readPayments` does not see them, because it reads account by account.
 */
export const findStrayPayments = (client: pg.ClientBase): Promise<StrayRows> =>
  find(
    client,
    `select p.id from svc.payments p where not exists (
       select from svc.account_modes m where m.account_id = p.account_id and m.mode = p.mode
     )`,
  );

const PAID = sqlIs(PAYMENT_STATUS.completed, PAYMENT_STATUS.refunded, PAYMENT_STATUS.mismatched);

export const findStrayProofs = (client: pg.ClientBase): Promise<StrayRows> =>
  find(
    client,
    `select l.transaction_id || ':' || l.log_index as id from svc.log_proofs l
     where l.payment_id is not null and l.refund_id is null and not exists (
       select from svc.payments p
       where p.account_id = l.account_id and p.mode = l.mode and p.id = l.payment_id and p.network = l.network
         and p.status ${PAID} and p.transaction_split_id = l.transaction_id || ':' || l.log_index
     ) or l.refund_id is not null and not exists (
       select from svc.refunds r
       where r.account_id = l.account_id and r.mode = l.mode and r.id = l.refund_id and r.payment_id = l.payment_id
         and r.network = l.network and r.transaction_id = l.transaction_id and r.log_index = l.log_index
         and r.status ${sqlIs(REFUND_STATUS.completed)}
     )`,
  );

export const findStrayRefunds = (client: pg.ClientBase): Promise<StrayRows> =>
  find(
    client,
    `select t.payment_id as id from svc.refund_totals t where t.reserved <> (
       select coalesce(sum(r.reserved), 0) from svc.refunds r
       where r.account_id = t.account_id and r.mode = t.mode and r.payment_id = t.payment_id
     ) or not exists (
       select from svc.payments p
       where p.account_id = t.account_id and p.mode = t.mode and p.id = t.payment_id and p.paid_amount = t.paid
         and coalesce(p.refunded_amount, 0) = t.refunded
     )
     union all
     select r.id from svc.refunds r where r.reserved > 0 and not exists (
       select from svc.refund_totals t
       where t.account_id = r.account_id and t.mode = r.mode and t.payment_id = r.payment_id
     )`,
  );

async function find(client: pg.ClientBase, strays: string): Promise<StrayRows> {
  const { rows } = await client.query<{ count: number; ids: readonly string[] | null }>(
    `select count(*)::integer as count, (array_agg(id order by id))[1:${NAMED}] as ids from (${strays}) as stray`,
  );
  const { count = 0, ids = null } = rows[0] ?? {};
  return { count, ids: ids ?? [] };
}
