// Keeps the rows of accounts as they are while they are copied, and for good once they have moved: whatever process still works on
// something of the account can't commit it. The triggers name the accounts, so an installation that moves none has none, and
// to make one waits for every transaction that has written to the table.
import { ACCOUNT_STATUS, DELIVERY_STATUS, ENDPOINT_STATUS } from '@svc-pay/core';
import { isId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { inTransaction } from '../database/in-transaction.ts';
import { sqlIs } from '../database/status-sql.ts';
import { MOVED_TABLES } from './moved-tables.ts';

const NAME = 'refuse_moving';
const LOCK_TIMEOUT = '2s';
const TRIES = 15;
const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';

/** Guards `accountId` beside every account that has moved. */
export async function guardAccount(pool: pg.Pool, accountId: string): Promise<void> {
  await guard(pool, [...(await movedAccounts(pool)), accountId], accountId);
}

/** Guards the accounts that have moved, and no other. */
export async function unguardAccount(pool: pg.Pool): Promise<void> {
  await guard(pool, await movedAccounts(pool), undefined);
}

async function movedAccounts(pool: pg.Pool): Promise<readonly string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `select id from svc.accounts where status ${sqlIs(ACCOUNT_STATUS.moved)} order by id`,
  );
  return rows.map(({ id }) => id);
}

/** Table by table, each in a transaction of its own: no two tables are locked together. */
async function guard(pool: pg.Pool, accounts: readonly string[], parked: string | undefined): Promise<void> {
  if (!accounts.every((id) => isId('account', id))) throw new Error('not an account');
  const named = [...new Set(accounts)];
  for (const { table, guard: how } of MOVED_TABLES) {
    if (how === undefined) continue;
    const event = how === true ? 'insert or update' : `insert or update of ${how}`;
    const statement =
      named.length === 0
        ? `drop trigger if exists ${NAME} on svc.${table}`
        : `create or replace trigger ${NAME} before ${event} on svc.${table} for each row
           when (new.account_id = any ('{${named.join(',')}}'::text[])) execute function svc.refuse_moving()`;
    await patiently(() =>
      inTransaction(pool, async (client) => {
        await client.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
        if (table === 'deliveries' && parked !== undefined) {
          await client.query('lock table svc.deliveries in share row exclusive mode');
          await allowLeaving(client, parked);
          await client.query(PARK, [parked]);
        }
        await client.query(statement);
      }),
    );
  }
}

/** A delivery that waits for its next try would be leased while it can't be recorded. The other cell sends it. */
const PARK = `
  update svc.deliveries set next_at = 'infinity'
  where account_id = $1 and status ${sqlIs(DELIVERY_STATUS.pending)} and next_at > now() and next_at <> 'infinity'
    and (lease_until is null or lease_until <= now())`;

/** Due at once: how long each of them was to wait is not kept. */
const UNPARK = `
  update svc.deliveries d set next_at = now()
  from svc.endpoints e
  where d.account_id = $1 and d.status ${sqlIs(DELIVERY_STATUS.pending)} and d.next_at = 'infinity'
    and e.account_id = d.account_id and e.mode = d.mode and e.id = d.endpoint_id and e.status ${sqlIs(ENDPOINT_STATUS.enabled)}`;

export async function unparkDeliveries(client: pg.ClientBase, accountId: string): Promise<void> {
  await allowLeaving(client, accountId);
  await client.query(UNPARK, [accountId]);
}

/** This transaction may write rows of the account although they are guarded. */
export async function allowLeaving(client: pg.ClientBase, accountId: string): Promise<void> {
  await client.query(`select set_config('svc.leaving', $1, true)`, [accountId]);
}

/** A table that others write all the time is locked when they let go; nobody waits behind this longer than the timeout. */
async function patiently(work: () => Promise<void>): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await work();
    } catch (problem) {
      const { code } = problem as { readonly code?: string };
      if ((code !== LOCK_NOT_AVAILABLE && code !== DEADLOCK) || tried === TRIES) throw problem;
    }
  }
}
