// Records new intents in groups, each in one commit: `intent-recorder.ts`. An idempotency key is stored with its answer in the
// same commit; if the key is taken, nothing is written for its intent.
import type { IntentRecord, Recorded } from '@svc-pay/core';
import type { Id } from '@svc-pay/protocol/ids';
import type pg from 'pg';
import { type CoalesceOptions, coalesceQueries } from '../database/coalesce-queries.ts';
import { insertText, sameNames } from '../database/insert-text.ts';
import { ONE_BY_KEY } from '../database/planner.ts';
import { columnArrays } from '../database/statement-parameters.ts';
import { ANSWER_COLUMNS, recallAnswers, type StoredAnswer } from '../idempotency/stored-answers.ts';
import { type AskedIntent, createRecorder, type RecordAsked } from './intent-recorder.ts';

const recordFree = createRecorder<object>('record-intents');

const recordOnce = createRecorder<StoredAnswer>('record-intents-once', {
  columns: ANSWER_COLUMNS,
  // Keys are taken in one order, so that two processes never deadlock.
  insert: `${insertText(
    'svc.idempotency',
    sameNames('account_id', 'mode', 'created_at', ...Object.keys(ANSWER_COLUMNS)),
    'from asked',
  )} order by account_id, mode, key on conflict do nothing`,
  returned: sameNames('account_id', 'mode', 'key'),
});

/**
 * A request with an idempotency key may wait for another one with its key, so those are in groups of their own: no other
 * request waits with them.
 */
export function createRecordIntent(
  pool: pg.Pool,
  options: Readonly<Record<'free' | 'keyed', CoalesceOptions<AskedIntent<unknown>>>>,
): (record: IntentRecord) => Promise<Recorded> {
  const free = coalesceQueries(options.free, (asked: readonly AskedIntent<object>[]) => recordAll(pool, asked));
  const keyed = coalesceQueries(options.keyed, (asked: readonly AskedIntent<StoredAnswer>[]) =>
    recordKeyed(pool, asked),
  );
  return (record) =>
    record.idempotency === null ? free({ record, gated: {} }) : keyed({ record, gated: record.idempotency });
}

async function recordAll(pool: pg.Pool, asked: readonly AskedIntent<object>[]): Promise<readonly Recorded[]> {
  await recordMissing(pool, recordFree, asked);
  return asked.map(() => ({ outcome: 'recorded' }));
}

/** Of requests with the same key in one group the first is recorded. */
async function recordKeyed(pool: pg.Pool, asked: readonly AskedIntent<StoredAnswer>[]): Promise<readonly Recorded[]> {
  const first = new Map(asked.toReversed().map((one) => [keyOf(one), one]));
  const recorded = await recordMissing(pool, recordOnce, [...first.values()]);
  const isRecorded = ({ record }: AskedIntent<StoredAnswer>) => recorded.has(record.intent.id);
  const others = asked.filter((one) => !isRecorded(one));
  const recalled = await recallAnswers(
    pool,
    others.map(({ record, gated }) => ({ owner: record.intent, claim: gated.claim })),
  );
  const answers = new Map(others.map((one, index) => [one, recalled[index]]));
  return asked.map((one): Recorded => {
    if (isRecorded(one)) return { outcome: 'recorded' };
    const { record, gated } = one;
    const earlier = answers.get(one);
    if (earlier === undefined)
      throw new Error(`intent ${record.intent.id} was not recorded, and no answer is stored under its idempotency key`);
    // An answer names its intent: this one was stored by a run of the same group whose outcome did not arrive.
    const isOwn = earlier.outcome === 'replayed' && earlier.answer.body === gated.answer.body;
    return isOwn ? { outcome: 'recorded' } : earlier;
  });
}

const keyOf = ({ record: { intent }, gated: { claim } }: AskedIntent<StoredAnswer>) =>
  `${intent.accountId} ${intent.mode} ${claim.storedKey}`;

const UNIQUE_VIOLATION = '23505';

/**
 * Records those that an earlier run of the same group did not. A run whose connection was lost may have been committed, or
 * may be committed while this one waits for its ids: then this one violates the key of intents.
 */
async function recordMissing<Gated>(
  pool: pg.Pool,
  recordAsked: RecordAsked<Gated>,
  asked: readonly AskedIntent<Gated>[],
): Promise<ReadonlySet<Id<'paymentIntent'>>> {
  try {
    return await recordAsked(pool, asked);
  } catch (problem) {
    if ((problem as { code?: unknown }).code !== UNIQUE_VIOLATION) throw problem;
    const found = await findRecorded(pool, asked);
    if (found.size === 0) throw problem;
    const missing = asked.filter(({ record }) => !found.has(record.intent.id));
    return missing.length === 0 ? found : new Set([...found, ...(await recordAsked(pool, missing))]);
  }
}

const WANTED = columnArrays<AskedIntent<unknown>>({
  account_id: ['text', ({ record }) => record.intent.accountId],
  mode: ['text', ({ record }) => record.intent.mode],
  id: ['text', ({ record }) => record.intent.id],
  intent_code: ['bigint', ({ record }) => record.intent.intentCode],
});

const FIND_RECORDED = {
  name: 'find-recorded-intents',
  text: `
    select wanted.id from ${WANTED.unnest('wanted')}
    cross join lateral (
      select intent_code from svc.intents
      where account_id = wanted.account_id and mode = wanted.mode and id = wanted.id
      ${ONE_BY_KEY}
    ) found
    where found.intent_code = wanted.intent_code`,
};

/** Ids of intents and their codes are drawn once, so a row with both is the one that was asked for. */
async function findRecorded(
  pool: pg.Pool,
  asked: readonly AskedIntent<unknown>[],
): Promise<ReadonlySet<Id<'paymentIntent'>>> {
  const values = WANTED.values(asked);
  const { rows } = await pool.query<{ id: Id<'paymentIntent'> }>({ ...FIND_RECORDED, values });
  return new Set(rows.map(({ id }) => id));
}

const RESERVE = {
  name: 'reserve-intent-codes',
  text: 'select svc.next_intent_code() as code from generate_series(1, $1)',
};

/** Reserves unique intent codes below 2^53. Unused codes are lost. */
export async function reserveIntentCodes(pool: pg.Pool, count: number): Promise<readonly number[]> {
  const { rows } = await pool.query<{ code: string }>({ ...RESERVE, values: [count] });
  return rows.map(({ code }) => Number(code));
}
