// Refused attempts to pay an intent, newest first. An intent keeps few of them (`record-refused-attempt.ts`).
import type { Caller } from '@svc-pay/core';
import { type Id, idBound, timeOfId } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { equalInKeyOrder } from '../database/planner.ts';

export type ListedAttempt = {
  readonly id: string;
  readonly code: string;
  readonly payer: string | null;
  readonly createdAtMs: number;
};

const MOST = 100;
const LIST_ATTEMPTS = {
  name: 'list-attempts',
  text: `
    select id, code, payer, created_at from svc.attempts
    where account_id = $1 and mode = $2 and ${equalInKeyOrder('intent_id', '$3')} and id > $4
    order by intent_id, id limit ${MOST}`,
};
const FIND_INTENT = {
  name: 'list-attempts-intent',
  text: 'select 1 from svc.intents where account_id = $1 and mode = $2 and id = $3',
};

/** Undefined if the caller has no such intent. */
export async function listAttempts(
  client: pg.Pool | pg.ClientBase,
  { accountId, mode }: Caller,
  intentId: Id<'paymentIntent'>,
): Promise<readonly ListedAttempt[] | undefined> {
  const { rowCount } = await client.query({ ...FIND_INTENT, values: [accountId, mode, intentId] });
  if (rowCount === 0) return undefined;
  // An attempt is younger than its intent; a day is left to clocks that differ.
  const since = idBound('attempt', timeOfId(intentId) - 86_400_000);
  const { rows } = await client.query<{ id: string; code: string; payer: string | null; created_at: Date }>({
    ...LIST_ATTEMPTS,
    values: [accountId, mode, intentId, since],
  });
  return rows
    .toReversed()
    .map(({ id, code, payer, created_at: createdAt }) => ({ id, code, payer, createdAtMs: createdAt.getTime() }));
}
