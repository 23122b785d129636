import { type Caller, type CancelAction, type CancelIntentPorts, type Intent, type Origin } from '@svc-pay/core';
import type pg from 'pg';
import { writeAudit } from '../audit/write-audit.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { recallAnswer, storeAnswer } from '../idempotency/stored-answers.ts';
import { asksForCanceled, tellCanceled } from './tell-canceled.ts';

type Idempotency = Parameters<CancelIntentPorts['recordCancellation']>[2];
type Outcome = Awaited<ReturnType<CancelIntentPorts['recordCancellation']>>;

/** Thrown to roll back; an expected outcome, not a failure. */
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
  action: CancelAction,
  origin: Origin,
): Promise<Outcome> {
  try {
    await inTransaction(pool, (client) => cancel(client, nowMs, caller, before, idempotency, action, origin));
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
  action: CancelAction,
  origin: Origin,
): Promise<void> {
  const now = new Date(nowMs);
  if (idempotency !== null && !(await storeAnswer(client, { accountId, mode }, idempotency, nowMs)))
    throw new NotRecorded('key_taken');
  const asked = asksForCanceled('intent');
  const changed = await client.query<{ told: boolean }>(
    `update svc.intents intent set status = 'canceled', version = version + 1, updated_at = $5, canceled_at = $5,
       event_sequence = event_sequence + (${asked})::integer
     where account_id = $1 and mode = $2 and id = $3 and status = $4 returning ${asked} as told`,
    [accountId, mode, before.id, before.status, now],
  );
  if (changed.rowCount !== 1) throw new NotRecorded('changed_meanwhile');
  const told = changed.rows.some((row) => row.told) ? [{ accountId, mode, intentId: before.id }] : [];
  await tellCanceled(client, told, origin, nowMs);
  await writeAudit(client, nowMs, {
    accountId,
    mode,
    actor: `key:${keyId}`,
    action,
    target: before.id,
    detail: { from: before.status },
  });
}
