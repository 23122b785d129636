// Runs a merchant's write as one commit: its changes, its audit entries and, if the caller sent an idempotency key, the
// answer to replay. A refusal rolls everything back and is not stored.
import { type Answer, type Caller, type IdempotencyClaim, isoTime } from '@svc-pay/core';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type pg from 'pg';
import { writeAudit } from '../audit/write-audit.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { recallAnswer } from './stored-answers.ts';

/** Context of a merchant's write. */
export type MerchantWork = {
  readonly client: pg.PoolClient;
  readonly caller: Caller;
  readonly nowMs: number;
  /** `detail` must not contain secrets. */
  readonly audit: (action: string, target: string, detail?: Readonly<Record<string, unknown>>) => Promise<void>;
};

export type RefusedWrite = { readonly ok: false; readonly code: ErrorCode; readonly param: string | null };
export type Done = {
  readonly ok: true;
  readonly answer: Answer;
  /** Answer stored for replays, if `answer` contains something that is shown only once. */
  readonly kept?: Answer;
};
export type Written = { readonly ok: true; readonly answer: Answer; readonly replayed: boolean } | RefusedWrite;

/** Thrown to roll back; an expected outcome, not a failure. */
class RolledBack extends Error {
  readonly refused: RefusedWrite | 'key_taken';
  constructor(refused: RefusedWrite | 'key_taken') {
    super('taken back');
    this.refused = refused;
  }
}

export async function writeOnce(
  pool: pg.Pool,
  caller: Caller,
  claim: IdempotencyClaim | null,
  nowMs: number,
  perform: (work: MerchantWork) => Promise<Done | RefusedWrite>,
): Promise<Written> {
  const earlier = claim === null ? undefined : await recalled(pool, caller, claim);
  if (earlier !== undefined) return earlier;
  try {
    const answer = await inTransaction(pool, (client) => commitOnce(client, caller, claim, nowMs, perform));
    return { ok: true, answer, replayed: false };
  } catch (problem) {
    if (!(problem instanceof RolledBack)) throw problem;
    if (problem.refused !== 'key_taken') return problem.refused;
    const first = claim === null ? undefined : await recalled(pool, caller, claim);
    if (first === undefined)
      throw new Error(`account ${caller.accountId}: an idempotency key is taken, and no answer is stored under it`, {
        cause: problem,
      });
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
  perform: (work: MerchantWork) => Promise<Done | RefusedWrite>,
): Promise<Answer> {
  const { accountId, mode, keyId } = caller;
  if (claim !== null) {
    // A concurrent request with the same key waits here until the first one commits.
    const { rowCount } = await client.query(
      `insert into svc.idempotency (account_id, mode, key, request_hash, created_at) values ($1, $2, $3, $4, $5)
       on conflict do nothing`,
      [accountId, mode, claim.storedKey, claim.requestHash, isoTime(nowMs)],
    );
    if (rowCount !== 1) throw new RolledBack('key_taken');
  }
  const done = await perform({
    client,
    caller,
    nowMs,
    audit: (action, target, detail = {}) =>
      writeAudit(client, nowMs, { accountId, mode, actor: `key:${keyId}`, action, target, detail }),
  });
  if (!done.ok) throw new RolledBack(done);
  if (claim !== null) {
    const { status, headers, body } = done.kept ?? done.answer;
    await client.query(
      `update svc.idempotency set response_status = $4, response_headers = $5, response_body = $6
       where account_id = $1 and mode = $2 and key = $3`,
      [accountId, mode, claim.storedKey, status, JSON.stringify(headers), Buffer.from(body, 'utf8')],
    );
  }
  return done.answer;
}
