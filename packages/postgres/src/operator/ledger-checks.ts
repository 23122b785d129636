// Runs of `ledger check`, for the operator's page.
import { isoTime } from '@svc-pay/core';
import type pg from 'pg';

/** More are of no use: the files of metrics and logs have the history. */
const KEPT = 1_000;

export type LedgerCheckResult =
  | {
      readonly booksAtMs: number;
      readonly uncompared: readonly string[];
      readonly looked: number;
      readonly differing: number;
    }
  /** Why it proved nothing. */
  | { readonly obstacle: string };

/** The id of the run. Undefined where the database can't be written, as on a standby: the check works all the same. */
export async function beginLedgerCheck(
  pool: pg.Pool,
  startedAtMs: number,
  networks: readonly string[],
): Promise<string | undefined> {
  const { rows } = await pool.query<{ writable: boolean }>(
    `select not pg_is_in_recovery() and current_setting('transaction_read_only') = 'off'
       and has_table_privilege('svc.ledger_checks', 'insert') as writable`,
  );
  if (rows[0]?.writable !== true) return undefined;
  await pool.query('delete from svc.ledger_checks where id <= (select max(id) from svc.ledger_checks) - $1', [KEPT]);
  const made = await pool.query<{ id: string }>(
    'insert into svc.ledger_checks (started_at, networks) values ($1, $2) returning id::text',
    [isoTime(startedAtMs), networks],
  );
  return made.rows[0]?.id;
}

export async function endLedgerCheck(
  pool: pg.Pool,
  id: string,
  endedAtMs: number,
  result: LedgerCheckResult,
): Promise<void> {
  const proven = 'obstacle' in result ? undefined : result;
  await pool.query(
    `update svc.ledger_checks
     set ended_at = $2, books_at = $3, uncompared = $4, looked = $5, differing = $6, obstacle = $7
     where id = $1 and ended_at is null`,
    [
      id,
      isoTime(endedAtMs),
      proven === undefined ? null : isoTime(proven.booksAtMs),
      proven?.uncompared ?? null,
      proven?.looked ?? null,
      proven?.differing ?? null,
      'obstacle' in result ? result.obstacle : null,
    ],
  );
}
