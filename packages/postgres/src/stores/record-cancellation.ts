import type { Caller, CancelDeed, CancelIntentPorts, Intent } from '@svc-pay/core';
import type pg from 'pg';
import { inTransaction } from './in-transaction.ts';
import { answerColumns, recallAnswer } from './stored-answers.ts';
import { writeAudit } from './write-audit.ts';

type Idempotency = Parameters<CancelIntentPorts['recordCancellation']>[2];
type Outcome = Awaited<ReturnType<CancelIntentPorts['recordCancellation']>>;

/** Rolls back without being a failure: the outcome is told, nothing is kept. */
class NotRecorded extends Error {
  readonly outcome: 'key_taken' | 'changed_meanwhile';
  constructor(outcome: 'key_taken' | 'changed_meanwhile') {
    super(outcome);
    this.outcome = outcome;
  }
}

export async function recordCancellation(
  pool: pg.Pool,
  nowMs: number,
  caller: Caller,
  before: Intent,
  idempotency: Idempotency,
  deed: CancelDeed,
): Promise<Outcome> {
  try {
    await inTransaction(pool, (client) => cancel(client, nowMs, caller, before, idempotency, deed));
    return { outcome: 'recorded' };
  } catch (problem) {
    if (!(problem instanceof NotRecorded)) throw problem;
    if (problem.outcome === 'changed_meanwhile' || idempotency === null) return { outcome: 'changed_meanwhile' };
    return (await recallAnswer(pool, caller, idempotency.claim)) ?? { outcome: 'changed_meanwhile' };
  }
}

async function cancel(
  client: pg.PoolClient,
  nowMs: number,
  { accountId, mode, keyId }: Caller,
  before: Intent,
  idempotency: Idempotency,
  deed: CancelDeed,
): Promise<void> {
  const now = new Date(nowMs);
  if (idempotency !== null) {
    const claimed = await client.query(
      `insert into svc.idempotency (
         account_id, mode, created_at, key, request_hash, response_status, response_headers, response_body
       ) values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing`,
      [accountId, mode, now, ...answerColumns(idempotency)],
    );
    if (claimed.rowCount !== 1) throw new NotRecorded('key_taken');
  }
  const changed = await client.query(
    `update svc.intents set status = 'canceled', version = version + 1, updated_at = $5
     where account_id = $1 and mode = $2 and id = $3 and status = $4`,
    [accountId, mode, before.id, before.status, now],
  );
  if (changed.rowCount !== 1) throw new NotRecorded('changed_meanwhile');
  await writeAudit(client, nowMs, {
    accountId,
    mode,
    actor: `key:${keyId}`,
    action: deed,
    target: before.id,
    detail: { from: before.status },
  });
}
