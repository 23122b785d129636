// Removes intents that nobody tried to pay. `svc.remove_unpaid_intents` judges each of them under its lock, and keeps what a
// late payment is judged by.
import { INTENT_STATUS, isoTime } from '@svc-pay/core';
import { idBound } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { sqlIs } from '../database/status-sql.ts';

export type UnpaidIntent = { readonly accountId: string; readonly mode: string; readonly intentId: string };

// By the partial index of such intents, oldest first.
const LOAD = {
  name: 'load-unpaid-intents',
  text: `
    select account_id as "accountId", mode, id as "intentId" from svc.intents
    where status ${sqlIs(INTENT_STATUS.canceled)} and payment_id is null and event_sequence <= 1 and id > $1 and id < $2
    order by id limit $3`,
};

/** Intents that were created before `beforeMs` and seem never paid, oldest first, after that one. */
export async function loadUnpaidIntents(
  pool: pg.Pool,
  beforeMs: number,
  after: UnpaidIntent | undefined,
  limit: number,
): Promise<readonly UnpaidIntent[]> {
  const { rows } = await pool.query<UnpaidIntent>({
    ...LOAD,
    values: [after?.intentId ?? '', idBound('paymentIntent', beforeMs), limit],
  });
  return rows;
}

/** Removes those that ended unpaid before `beforeMs` and that nothing can pay any more. Returns how many left. */
export async function removeUnpaidIntents(
  pool: pg.Pool,
  unpaid: readonly UnpaidIntent[],
  beforeMs: number,
): Promise<number> {
  const { rows } = await pool.query<{ removed: number }>({
    name: 'remove-unpaid-intents',
    text: 'select svc.remove_unpaid_intents($1, $2, $3, $4) as removed',
    values: [
      unpaid.map(({ accountId }) => accountId),
      unpaid.map(({ mode }) => mode),
      unpaid.map(({ intentId }) => intentId),
      isoTime(beforeMs),
    ],
  });
  return rows[0]?.removed ?? 0;
}
