// A merchant's write as one commit: what it does, its audit lines and, when the caller sent an idempotency key, the answer
// to repeat. A refusal takes everything back and is not remembered.
import { type Answer, type Caller, type IdempotencyClaim, isoTime } from '@svc-pay/core';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type pg from 'pg';
import { inTransaction } from '../stores/in-transaction.ts';
import { recallAnswer } from '../stores/stored-answers.ts';
import { writeAudit } from '../stores/write-audit.ts';

/** What a write is done with. */
export type Work = {
  readonly client: pg.PoolClient;
  readonly caller: Caller;
  readonly nowMs: number;
  /** `detail` never holds a secret. */
  readonly audit: (action: string, target: string, detail?: Readonly<Record<string, unknown>>) => Promise<void>;
};

export type Refused = { readonly ok: false; readonly code: ErrorCode; readonly param: string | null };
export type Done = {
  readonly ok: true;
  readonly answer: Answer;
  /** What a repeat is answered, when the answer holds something that is shown once. */
  readonly kept?: Answer;
};
export type Written = { readonly ok: true; readonly answer: Answer; readonly replayed: boolean } | Refused;

/** Rolls back without being a failure. */
class TakenBack extends Error {
  readonly refused: Refused | 'key_taken';
  constructor(refused: Refused | 'key_taken') {
    super('taken back');
    this.refused = refused;
  }
}

export async function writeOnce(
  pool: pg.Pool,
  caller: Caller,
  claim: IdempotencyClaim | null,
  nowMs: number,
  perform: (work: Work) => Promise<Done | Refused>,
): Promise<Written> {
  const earlier = claim === null ? undefined : await recalled(pool, caller, claim);
  if (earlier !== undefined) return earlier;
  try {
    const answer = await inTransaction(pool, (client) => commitOnce(client, caller, claim, nowMs, perform));
    return { ok: true, answer, replayed: false };
  } catch (problem) {
    if (!(problem instanceof TakenBack)) throw problem;
    if (problem.refused !== 'key_taken') return problem.refused;
    const first = claim === null ? undefined : await recalled(pool, caller, claim);
    if (first === undefined) throw new Error('an idempotency key was taken and is not there', { cause: problem });
    return first;
  }
}

async function recalled(pool: pg.Pool, caller: Caller, claim: IdempotencyClaim): Promise<Written | undefined> {
  const earlier = await recallAnswer(pool, caller, claim);
  if (earlier === undefined) return undefined;
  return earlier.outcome === 'replayed'
    ? { ok: true, answer: earlier.answer, replayed: true }
    : { ok: false, code: 'idempotency_key_reused', param: 'Idempotency-Key' };
}

async function commitOnce(
  client: pg.PoolClient,
  caller: Caller,
  claim: IdempotencyClaim | null,
  nowMs: number,
  perform: (work: Work) => Promise<Done | Refused>,
): Promise<Answer> {
  const { accountId, mode, keyId } = caller;
  if (claim !== null) {
    // A repeat waits here for the commit of the first.
    const { rowCount } = await client.query(
      `insert into svc.idempotency (account_id, mode, key, request_hash, created_at) values ($1, $2, $3, $4, $5)
       on conflict do nothing`,
      [accountId, mode, claim.key, claim.requestHash, isoTime(nowMs)],
    );
    if (rowCount !== 1) throw new TakenBack('key_taken');
  }
  const done = await perform({
    client,
    caller,
    nowMs,
    audit: (action, target, detail = {}) =>
      writeAudit(client, nowMs, { accountId, mode, actor: `key:${keyId}`, action, target, detail }),
  });
  if (!done.ok) throw new TakenBack(done);
  if (claim !== null) {
    const { status, headers, body } = done.kept ?? done.answer;
    await client.query(
      `update svc.idempotency set response_status = $4, response_headers = $5, response_body = $6
       where account_id = $1 and mode = $2 and key = $3`,
      [accountId, mode, claim.key, status, JSON.stringify(headers), Buffer.from(body, 'utf8')],
    );
  }
  return done.answer;
}
