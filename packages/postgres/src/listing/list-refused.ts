// Refused attempts to pay any intent of a merchant, newest first, by the primary key of their table.
import type { Caller, WalkedPage } from '@svc-pay/core';
import type pg from 'pg';
import { namedParameters } from '../database/statement-parameters.ts';
import type { ListedAttempt } from './list-attempts.ts';
import { type ListOrder, ownRows, pageText } from './list-statement.ts';
import { partitionDays } from './partition-days.ts';
import { type ListPage, ROW_BLOCKS, walkList } from './walk-list.ts';

export type ListedRefusal = ListedAttempt & { readonly position: string; readonly intentId: string };
type RefusalRow = {
  readonly id: string;
  readonly intent_id: string;
  readonly code: string;
  readonly payer: string | null;
  readonly created_at: Date;
};

/** Attempts are kept for three months; a month that is not over yet and the clocks make it five. */
const KEPT_MS = 5 * 31 * 86_400_000;

const GIVEN = namedParameters({
  account_id: 'text',
  mode: 'text',
  from_id: 'text',
  to_id: 'text',
  limit: 'integer',
});
const { at } = GIVEN;
const statementOf = (order: ListOrder) => ({
  name: `list-refused-${order}`,
  text: pageText('id, intent_id, code, payer, created_at', 'svc.attempts attempt', ownRows(at), at, order),
});
const STATEMENTS = { older: statementOf('older'), newer: statementOf('newer') };

export async function listRefused(
  pool: pg.Pool,
  caller: Caller,
  page: ListPage,
  nowMs: number,
): Promise<WalkedPage<ListedRefusal>> {
  const kept = { ...page, createdAfterMs: Math.max(page.createdAfterMs ?? 0, nowMs - KEPT_MS) };
  const days = await partitionDays(pool, 'attempts', nowMs);
  const walk = { kind: 'attempt', page: kept, rowBlocks: ROW_BLOCKS.apart, days } as const;
  const found = await walkList<RefusalRow>(caller, nowMs, walk, async (span, limit) => {
    const given = { account_id: caller.accountId, mode: caller.mode, from_id: span.from, to_id: span.to, limit };
    return (await pool.query<RefusalRow>({ ...STATEMENTS[page.order], values: GIVEN.values(given) })).rows;
  });
  return {
    more: found.more,
    rows: found.rows.map(({ id, intent_id: intentId, code, payer, created_at: createdAt }) => ({
      position: id,
      id,
      intentId,
      code,
      payer,
      createdAtMs: createdAt.getTime(),
    })),
  };
}
