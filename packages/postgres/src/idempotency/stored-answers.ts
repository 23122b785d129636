// Answers stored under idempotency keys.
import { type Answer, type Caller, type IdempotencyClaim, isoTime, type Recorded } from '@svc-pay/core';
import type pg from 'pg';
import { namedParameters } from '../database/statement-parameters.ts';

type Row = {
  readonly same: boolean;
  readonly response_status: number;
  readonly response_headers: Readonly<Record<string, string>>;
  readonly response_body: Buffer;
};

const RECALL = {
  name: 'recall-answer',
  text: `
    select request_hash = $4 as same, response_status, response_headers, response_body
    from svc.idempotency where account_id = $1 and mode = $2 and key = $3`,
};

type Recalled = Exclude<Recorded, { readonly outcome: 'recorded' }>;

export async function recallAnswer(
  pool: pg.Pool,
  { accountId, mode }: Pick<Caller, 'accountId' | 'mode'>,
  { storedKey, requestHash }: IdempotencyClaim,
): Promise<Recalled | undefined> {
  const { rows } = await pool.query<Row>({ ...RECALL, values: [accountId, mode, storedKey, requestHash] });
  const [row] = rows;
  if (row === undefined) return undefined;
  if (!row.same) return { outcome: 'key_reused' };
  const answer: Answer = {
    status: row.response_status,
    headers: row.response_headers,
    body: row.response_body.toString('utf8'),
  };
  return { outcome: 'replayed', answer };
}

const KEEP = {
  name: 'keep-answer',
  text: `
    insert into svc.idempotency (account_id, mode, created_at, key, request_hash, response_status, response_headers, response_body)
    values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing`,
};

/** Keeps the answer of a request whose work is committed already; the answer that was kept first stays. */
export async function keepAnswer(
  pool: pg.Pool,
  caller: Pick<Caller, 'accountId' | 'mode'>,
  claim: IdempotencyClaim,
  answer: Answer,
  nowMs: number,
): Promise<Recorded> {
  const values = [caller.accountId, caller.mode, isoTime(nowMs), ...answerValues({ claim, answer })];
  const { rowCount } = await pool.query({ ...KEEP, values });
  if (rowCount === 1) return { outcome: 'recorded' };
  const first = await recallAnswer(pool, caller, claim);
  if (first === undefined) throw new Error(`account ${caller.accountId}: an idempotency key was taken and is gone`);
  return first;
}

/** Parameters for the answer's columns of `svc.idempotency`, from position `first` on. */
export const answerAt = (first: number) =>
  namedParameters(
    {
      key: 'text',
      request_hash: 'bytea',
      response_status: 'integer',
      response_headers: 'jsonb',
      response_body: 'bytea',
    },
    first,
  );
/** Used for the values at any position: their order is the same. */
const ANSWER = answerAt(1);

export function answerValues({
  claim,
  answer,
}: {
  readonly claim: IdempotencyClaim;
  readonly answer: Answer;
}): unknown[] {
  return ANSWER.values({
    key: claim.storedKey,
    request_hash: claim.requestHash,
    response_status: answer.status,
    response_headers: JSON.stringify(answer.headers),
    response_body: Buffer.from(answer.body, 'utf8'),
  });
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
