// Intents that have a value under a declared key, newest first, by the index of digests alone.
import type { Caller, WalkedPage } from '@svc-pay/core';
import type pg from 'pg';
import { namedParameters } from '../database/statement-parameters.ts';
import { type ListOrder, pageText } from './list-statement.ts';
import { partitionDays } from './partition-days.ts';
import { type ListPage, walkList } from './walk-list.ts';

const GIVEN = namedParameters({ digest: 'bytea', from_id: 'text', to_id: 'text', limit: 'integer' });
const { at } = GIVEN;

const ROWS = { where: `digest = ${at.digest}`, order: ['intent_id'] };

const statementOf = (order: ListOrder) => ({
  name: `list-intent-metadata-${order}`,
  text: pageText('intent_id as id', 'svc.intent_metadata', ROWS, at, order),
});
const OLDER = statementOf('older');
const NEWER = statementOf('newer');

export async function walkMetadata(
  pool: pg.Pool,
  caller: Caller,
  digest: Uint8Array,
  page: ListPage,
  rowBlocks: number,
  nowMs: number,
): Promise<WalkedPage<{ readonly id: string }>> {
  const statement = page.order === 'older' ? OLDER : NEWER;
  const days = await partitionDays(pool, 'intent_metadata', nowMs);
  return walkList(caller, nowMs, { kind: 'paymentIntent', page, rowBlocks, days }, async (span, limit) => {
    const values = GIVEN.values({ digest, from_id: span.from, to_id: span.to, limit });
    return (await pool.query<{ id: string }>({ ...statement, values })).rows;
  });
}
