// Idempotency keys of requests whose answer changes over time.
// The key is bound to the request hash; no answer is stored.
import { type Caller, type IdempotencyClaim, isoTime } from '@svc-pay/core';
import type pg from 'pg';
import { insertText, sameNames } from '../database/insert-text.ts';
import { ONE_BY_KEY } from '../database/planner.ts';
import { columnArrays } from '../database/statement-parameters.ts';

export type AskedKey = { readonly caller: Pick<Caller, 'accountId' | 'mode'>; readonly claim: IdempotencyClaim };

const ASKED_COLUMNS = {
  account_id: ['text', ({ caller }: AskedKey) => caller.accountId],
  mode: ['text', ({ caller }: AskedKey) => caller.mode],
  key: ['text', ({ claim }: AskedKey) => claim.storedKey],
  request_hash: ['bytea', ({ claim }: AskedKey) => claim.requestHash],
} as const;
const ASKED = columnArrays<AskedKey>(ASKED_COLUMNS);

const ARE_REUSED = {
  name: 'are-keys-reused',
  text: `
    select asked.place::integer as place from ${ASKED.unnestWithPlace('asked')}
    cross join lateral (
      select request_hash from svc.idempotency
      where account_id = asked.account_id and mode = asked.mode and key = asked.key
      ${ONE_BY_KEY}
    ) stored
    where stored.request_hash <> asked.request_hash`,
};

/** In the order of `asked`: whether the key is bound to another request. */
export async function areKeysReused(pool: pg.Pool, asked: readonly AskedKey[]): Promise<readonly boolean[]> {
  const { rows } = await pool.query<{ place: number }>({ ...ARE_REUSED, values: ASKED.values(asked) });
  const reused = new Set(rows.map(({ place }) => place));
  return asked.map((_, index) => reused.has(index + 1));
}

export type KeyToBind = AskedKey & { readonly nowMs: number };

const BOUND_COLUMNS = {
  ...ASKED_COLUMNS,
  created_at: ['timestamptz', ({ nowMs }: KeyToBind) => isoTime(nowMs)],
} as const;
const BOUND = columnArrays<KeyToBind>(BOUND_COLUMNS);

// Keys are taken in one order, so that two processes never deadlock.
const BIND_KEYS = {
  name: 'bind-keys',
  text: `
    ${insertText('svc.idempotency', sameNames(...Object.keys(BOUND_COLUMNS)), `from ${BOUND.unnest('bound')}`)}
    order by account_id, mode, key
    on conflict do nothing`,
};

/** A key that is bound already stays as it is. */
export async function bindKeys(pool: pg.Pool, bound: readonly KeyToBind[]): Promise<readonly void[]> {
  await pool.query({ ...BIND_KEYS, values: BOUND.values(bound) });
  return bound.map(() => undefined);
}
