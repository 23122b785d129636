// Answers stored under idempotency keys.
import { type Answer, type Caller, type IdempotencyClaim, isoTime, type Recorded } from '@svc-pay/core';
import type pg from 'pg';
import { ONE_BY_KEY } from '../database/planner.ts';
import { type Columns, columnArrays } from '../database/statement-parameters.ts';

type Row = {
  readonly same: boolean;
  readonly response_status: number;
  readonly response_headers: Readonly<Record<string, string>>;
  readonly response_body: Buffer;
};

type Owner = Pick<Caller, 'accountId' | 'mode'>;
type WantedAnswer = { readonly owner: Owner; readonly claim: IdempotencyClaim };

const WANTED = columnArrays<WantedAnswer>({
  account_id: ['text', ({ owner }) => owner.accountId],
  mode: ['text', ({ owner }) => owner.mode],
  key: ['text', ({ claim }) => claim.storedKey],
  request_hash: ['bytea', ({ claim }) => claim.requestHash],
});

const RECALL = {
  name: 'recall-answers',
  text: `
    select wanted.place::integer as place, wanted.request_hash = stored.request_hash as same,
      stored.response_status, stored.response_headers, stored.response_body
    from ${WANTED.unnestWithPlace('wanted')}
    cross join lateral (
      select request_hash, response_status, response_headers, response_body from svc.idempotency
      where account_id = wanted.account_id and mode = wanted.mode and key = wanted.key
      ${ONE_BY_KEY}
    ) stored`,
};

type Recalled = Exclude<Recorded, { readonly outcome: 'recorded' }>;

/** Results are in the order of `wanted`; undefined for a key that is not taken. */
export async function recallAnswers(
  pool: pg.Pool,
  wanted: readonly WantedAnswer[],
): Promise<readonly (Recalled | undefined)[]> {
  if (wanted.length === 0) return [];
  const { rows } = await pool.query<Row & { place: number }>({ ...RECALL, values: WANTED.values(wanted) });
  const byPlace = new Map(rows.map((row) => [row.place, row]));
  return wanted.map((_, index) => {
    const row = byPlace.get(index + 1);
    return row && recalledOf(row);
  });
}

export async function recallAnswer(
  pool: pg.Pool,
  owner: Owner,
  claim: IdempotencyClaim,
): Promise<Recalled | undefined> {
  const [recalled] = await recallAnswers(pool, [{ owner, claim }]);
  return recalled;
}

function recalledOf(row: Row): Recalled {
  if (!row.same) return { outcome: 'key_reused' };
  const answer: Answer = {
    status: row.response_status,
    headers: row.response_headers,
    body: row.response_body.toString('utf8'),
  };
  return { outcome: 'replayed', answer };
}

export type StoredAnswer = { readonly claim: IdempotencyClaim; readonly answer: Answer };

/** The answer's columns of `svc.idempotency`. */
export const ANSWER_COLUMNS = {
  key: ['text', ({ claim }) => claim.storedKey],
  request_hash: ['bytea', ({ claim }) => claim.requestHash],
  response_status: ['integer', ({ answer }) => answer.status],
  response_headers: ['jsonb', ({ answer }) => JSON.stringify(answer.headers)],
  response_body: ['bytea', ({ answer }) => Buffer.from(answer.body, 'utf8')],
} as const satisfies Columns<StoredAnswer>;

const KEPT = columnArrays<StoredAnswer & { readonly owner: Owner; readonly nowMs: number }>({
  account_id: ['text', ({ owner }) => owner.accountId],
  mode: ['text', ({ owner }) => owner.mode],
  created_at: ['timestamptz', ({ nowMs }) => isoTime(nowMs)],
  ...ANSWER_COLUMNS,
});
const KEEP = { name: 'keep-answer', text: `${KEPT.insertInto('svc.idempotency')} on conflict do nothing` };

/** False if the key is taken. */
export async function storeAnswer(
  connection: pg.Pool | pg.ClientBase,
  owner: Owner,
  stored: StoredAnswer,
  nowMs: number,
): Promise<boolean> {
  const { rowCount } = await connection.query({ ...KEEP, values: KEPT.values([{ ...stored, owner, nowMs }]) });
  return rowCount === 1;
}

/** Keeps the answer of a request whose work is committed already; the answer that was kept first stays. */
export async function keepAnswer(
  pool: pg.Pool,
  caller: Owner,
  claim: IdempotencyClaim,
  answer: Answer,
  nowMs: number,
): Promise<Recorded> {
  if (await storeAnswer(pool, caller, { claim, answer }, nowMs)) return { outcome: 'recorded' };
  const first = await recallAnswer(pool, caller, claim);
  if (first === undefined) throw new Error(`account ${caller.accountId}: an idempotency key was taken and is gone`);
  return first;
}

const DELETE_OLD = {
  name: 'delete-old-answers',
  text: `
    delete from svc.idempotency where (account_id, mode, key) in (
      select account_id, mode, key from svc.idempotency where created_at < $1 order by created_at limit $2
    )`,
};

/** Deletes the oldest idempotency keys made before `beforeMs`, at most `most` of them. Returns how many. */
export async function deleteOldAnswers(pool: pg.Pool, beforeMs: number, most: number): Promise<number> {
  const { rowCount } = await pool.query({ ...DELETE_OLD, values: [isoTime(beforeMs), most] });
  return rowCount ?? 0;
}
