import { ACCOUNT_STATUS } from '@svc-pay/core';
import type pg from 'pg';
import { sqlIs } from './status-sql.ts';

/** SQL: money for an account that moved is booked by the cell that has it, and by no other. */
export const sqlNotMoved = (accountId: string): string =>
  `not exists (select from svc.accounts gone where gone.id = ${accountId} and gone.status ${sqlIs(ACCOUNT_STATUS.moved)})`;

/**
 * This transaction may write rows of accounts that moved away, which triggers refuse otherwise. Counts for the owner of the tables
 * alone, and for what changes no answer of the account: its secrets under a new key, a payer who is erased.
 */
export async function allowMoved(client: pg.ClientBase): Promise<void> {
  await client.query(`select set_config('svc.leaving', '*', true)`);
}
