// The answers behind idempotency keys.
import type { Answer, Caller, IdempotencyClaim, Recorded } from '@svc-pay/core';
import type pg from 'pg';

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
  { key, requestHash }: IdempotencyClaim,
): Promise<Recalled | undefined> {
  const { rows } = await pool.query<Row>({ ...RECALL, values: [accountId, mode, key, requestHash] });
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

/** Values for `(key, request_hash, response_status, response_headers, response_body)` columns, in that order. */
export function answerColumns(idempotency: { readonly claim: IdempotencyClaim; readonly answer: Answer }): unknown[] {
  const { claim, answer } = idempotency;
  return [
    claim.key,
    claim.requestHash,
    answer.status,
    JSON.stringify(answer.headers),
    Buffer.from(answer.body, 'utf8'),
  ];
}
