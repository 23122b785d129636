// Intents that nobody paid leave; what a late payment is judged by stays, and judges it as the intent would have.
import { randomBytes } from 'node:crypto';
import {
  applied,
  type OfferedIntent,
  type OfferTerms,
  receivedLog,
  typesOf,
  used,
  usedLog,
} from '@svc-pay/core/testing/contracts';
import { describe, expect, test } from 'vitest';
import { lockSentAgain } from '../event/lock-sent-again.ts';
import { selectOwn } from '../reader/own-logs.ts';
import { createApplyHarness, type PostgresApplyHarness } from '../testing/apply-harness.ts';
import { createTestIntent } from '../testing/create-test-intent.ts';
import { insertRow } from '../testing/sample-rows.ts';
import { loadUnpaidIntents, removeUnpaidIntents } from './remove-unpaid-intents.ts';

const DAY_MS = 86_400_000;
const harness = await createApplyHarness();
const { pool, caller, network } = harness;

/** All that may leave: every intent of the tests has ended two days before. */
async function removeAll({ pool: of }: Pick<PostgresApplyHarness, 'pool'> = harness): Promise<number> {
  const beforeMs = Date.now() + 2 * DAY_MS;
  return removeUnpaidIntents(of, await loadUnpaidIntents(of, beforeMs, undefined, 1_000), beforeMs);
}
const canceled = async (terms: OfferTerms = {}): Promise<OfferedIntent> => {
  const intent = await harness.offer(terms);
  await harness.cancelIntent(intent.intentId);
  return intent;
};
const isThere = async (id: string) => (await pool.query('select from svc.intents where id = $1', [id])).rowCount === 1;
const countOf = async (table: string, id: string, column = 'intent_id') =>
  (await pool.query(`select from svc.${table} where ${column} = $1`, [id])).rowCount;

test('an intent that nobody paid leaves with its acceptances, its event and deliveries; its code stays', async () => {
  await insertRow(pool, 'endpoints', {
    account_id: caller.accountId,
    id: 'we_told',
    event_types: ['payment_intent.created'],
  });
  const intent = await canceled();
  const { intentId, intentCode } = intent;
  await pool.query("update svc.deliveries set status = 'succeeded', next_at = null, finished_at = now()");
  const { rows } = await pool.query('select id from svc.events where intent_id = $1', [intentId]);
  expect(await countOf('deliveries', rows[0].id, 'event_id')).toBe(1);
  expect(await removeAll()).toBe(1);
  for (const table of ['acceptances', 'events']) expect([table, await countOf(table, intentId)]).toEqual([table, 0]);
  expect(await isThere(intentId)).toBe(false);
  expect(await countOf('deliveries', rows[0].id, 'event_id')).toBe(0);
  expect(await countOf('intent_codes', intentId)).toBe(1);
  expect(await countOf('late_terms', intentCode.toString(), 'intent_code')).toBe(1);
  await pool.query("update svc.endpoints set status = 'deleted'");
});

test('an event that still waits to be delivered stays', async () => {
  await insertRow(pool, 'endpoints', {
    account_id: caller.accountId,
    id: 'we_waiting',
    event_types: ['payment_intent.created'],
  });
  const { intentId } = await canceled();
  expect(await removeAll()).toBe(1);
  expect(await countOf('events', intentId)).toBe(1);
  await pool.query("update svc.endpoints set status = 'deleted'");
});

test('an event that is sent again while its intent leaves stays', async () => {
  const { intentId } = await canceled();
  const { rows } = await pool.query('select id from svc.events where intent_id = $1', [intentId]);
  const sender = await pool.connect();
  await sender.query('begin');
  await lockSentAgain(sender);
  const removing = removeAll();
  await new Promise((resolve) => setTimeout(resolve, 200));
  await insertRow(sender, 'deliveries', {
    account_id: caller.accountId,
    event_id: rows[0].id,
    endpoint_id: 'we_again',
    next_at: new Date(),
  });
  await sender.query('commit');
  sender.release();
  expect(await removing).toBe(1);
  expect(await countOf('events', intentId)).toBe(1);
});

describe('an intent stays', () => {
  test.each<[string, (intent: OfferedIntent) => Promise<unknown>]>([
    [
      'that is open',
      (intent) => pool.query("update svc.intents set status = 'requires_payment' where id = $1", [intent.intentId]),
    ],
    [
      'that has a payment',
      (intent) => pool.query("update svc.intents set payment_id = 'pay_x' where id = $1", [intent.intentId]),
    ],
    [
      'of which more was told than its creation',
      (intent) => pool.query('update svc.intents set event_sequence = 2 where id = $1', [intent.intentId]),
    ],
    [
      'that ended a moment ago',
      (intent) =>
        pool.query("update svc.intents set updated_at = now() + interval '3 days' where id = $1", [intent.intentId]),
    ],
    ['with a refused authorization that is watched', (intent) => harness.refuse(intent)],
    [
      'with an authorization',
      (intent) =>
        insertRow(pool, 'authorizations', {
          account_id: caller.accountId,
          intent_id: intent.intentId,
          claim_key: Buffer.from(intent.intentId.padEnd(32).slice(0, 32)),
        }),
    ],
    [
      'with a prepared transfer',
      (intent) =>
        pool.query(
          `insert into svc.prepared_transfers (account_id, mode, intent_id, payer, blockhash, position, network, relayer,
             transfer, message_hash, wire, created_at)
           values ($1, 'test', $2, 'p', 'b', 0, 'solana:x', 'r', '{}', sha256('m'), 'w', now())`,
          [caller.accountId, intent.intentId],
        ),
    ],
    ['with a `pay()` that waits to be final', (intent) => harness.putLog(receivedLog(intent))],
    [
      'with a bound nonce whose use waits to be final',
      async (intent) => harness.putLog(usedLog(intent, await harness.signBound(intent))),
    ],
  ])('%s', async (name, change) => {
    const intent = await canceled(name.includes('bound') || name.includes('refused') ? { use: 'exclusive' } : {});
    await change(intent);
    // Named by the caller, whatever the list of unpaid ones says.
    const named = [{ accountId: caller.accountId, mode: 'test', intentId: intent.intentId }];
    expect(await removeUnpaidIntents(pool, named, Date.now() + 2 * DAY_MS)).toBe(0);
    expect(await isThere(intent.intentId)).toBe(true);
    await pool.query('delete from svc.read_logs');
  });

  test('that is younger than the days', async () => {
    const { intentId } = await canceled();
    const beforeMs = Date.now() - DAY_MS;
    expect(await loadUnpaidIntents(pool, beforeMs, undefined, 1_000)).toEqual([]);
    expect(await removeUnpaidIntents(pool, [{ accountId: caller.accountId, mode: 'test', intentId }], beforeMs)).toBe(
      0,
    );
  });
});

test('a refused authorization is not stored for an intent that left', async () => {
  const intent = await canceled({ use: 'exclusive' });
  await removeAll();
  await harness.refuse(intent);
  expect(await countOf('refused_authorizations', intent.intentId)).toBe(0);
});

describe('a late `pay()` is judged as if the intent were there', () => {
  const LATE: OfferTerms = { expiresInMs: -5_000 };
  test.each<[string, OfferTerms, Parameters<typeof receivedLog>[1]]>([
    ['after its end', LATE, {}],
    ['of a canceled intent', {}, {}],
    ['after the end of its price', { priceEndsInMs: -5_000 }, {}],
    ['from another sender', { expectedSender: `0x${'c2'.repeat(20)}` }, {}],
    ['of one unit', LATE, { amountAtomic: 1n, feeAtomic: 0n }],
    ['with another fee', LATE, { feeAtomic: 7n }],
    ['of another payout', LATE, { payoutId: 12_345n }],
  ])('%s', async (_, terms, change) => {
    const kept = await canceled(terms);
    const expected = await applied(harness, receivedLog(kept, change));
    const gone = await canceled(terms);
    expect(await removeAll()).toBeGreaterThan(0);
    expect(await isThere(gone.intentId)).toBe(false);
    const log = receivedLog(gone, change);
    const answer = await applied(harness, log);
    // A payment of its own brings its intent back.
    if (expected.outcome === 'mismatched') {
      expect(answer).toMatchObject({ outcome: 'mismatched', reason: expected.reason, intentId: gone.intentId });
      expect(await isThere(gone.intentId)).toBe(true);
      return;
    }
    expect(answer).toEqual(expected);
    const { rows } = await pool.query(
      "select reason, log ->> 'intentId' as intent from svc.log_proofs where transaction_id = $1",
      [log.position.transactionId],
    );
    expect(expected.outcome).toBe('unattributed');
    if (expected.outcome === 'unattributed') expect(rows).toEqual([{ reason: expected.reason, intent: gone.intentId }]);
    expect(await isThere(gone.intentId)).toBe(false);
  });

  test('and a settlement with its code waits for its lane, as that of any code of ours', async () => {
    const gone = await canceled();
    await removeAll();
    const settled = { event: 'payment_settled' as const };
    expect(await applied(harness, receivedLog(gone, settled))).toEqual({ outcome: 'waits', reason: 'lane' });
    await pool.query('delete from svc.read_logs');
  });
});

describe('a late use of a bound nonce', () => {
  test('is read as ours, becomes a payment of its own, brings its intent back, and the merchant is told', async () => {
    const gone = await canceled({ use: 'shared' });
    const signed = await harness.signBound(gone);
    await removeAll();
    const log = usedLog(gone, signed);
    expect(await selectOwn(pool, network, [log])).toEqual([log]);
    const { answer } = await used(harness, gone, signed);
    expect(answer).toMatchObject({ outcome: 'mismatched', intentId: gone.intentId, reason: 'intent_not_payable' });
    const stored = await harness.read();
    expect(typesOf(stored, gone.intentId).filter((type) => type.startsWith('payment.'))).toEqual([
      'payment.created',
      'payment.updated',
    ]);
    const { rows } = await pool.query(
      'select status, payment_id, intent_code, amount, event_sequence from svc.intents where id = $1',
      [gone.intentId],
    );
    expect(rows).toEqual([
      {
        status: 'canceled',
        payment_id: null,
        intent_code: gone.intentCode.toString(),
        amount: gone.acceptance.amount.toString(),
        event_sequence: 3,
      },
    ]);
    await removeAll();
    expect(await isThere(gone.intentId)).toBe(true);
  });

  test('a second one finds the intent and the terms again', async () => {
    const gone = await canceled({ use: 'exclusive' });
    const [first, second] = [await harness.signBound(gone), await harness.signBound(gone)];
    await removeAll();
    expect((await used(harness, gone, first)).answer.outcome).toBe('mismatched');
    const log = usedLog(gone, second);
    expect(await selectOwn(pool, network, [log])).toEqual([log]);
    expect((await used(harness, gone, second)).answer.outcome).toBe('mismatched');
    expect(await applied(harness, receivedLog(gone, { payoutId: gone.acceptance.payoutId }))).toMatchObject({
      outcome: 'unattributed',
    });
  });

  test('that paid somebody else leaves the intent away', async () => {
    const gone = await canceled({ use: 'exclusive' });
    const signed = await harness.signBound(gone);
    await removeAll();
    const { answer } = await used(harness, gone, signed, { to: `0x${'99'.repeat(20)}` });
    expect(answer).toMatchObject({ outcome: 'ignored' });
    expect(await isThere(gone.intentId)).toBe(false);
  });

  test('with another amount in its nonce is not ours', async () => {
    const gone = await canceled({ use: 'exclusive' });
    await removeAll();
    const forged = await harness.signBound({
      ...gone,
      acceptance: { ...gone.acceptance, amount: (gone.acceptance.amount + 1n) as never },
    });
    expect(await selectOwn(pool, network, [usedLog(gone, forged)])).toEqual([]);
  });
});

test('an intent that leaves while its late payment is applied is judged in the next run', async () => {
  const intent = await canceled({ use: 'exclusive' });
  const signed = await harness.signBound(intent);
  const client = await pool.connect();
  await client.query('begin');
  const beforeMs = Date.now() + 2 * DAY_MS;
  await client.query('select svc.remove_unpaid_intents($1, $2, $3, $4)', [
    [caller.accountId],
    ['test'],
    [intent.intentId],
    new Date(beforeMs),
  ]);
  const log = usedLog(intent, signed);
  await harness.putLog(log);
  const transfer = {
    logIndex: log.position.logIndex + 1,
    from: log.payer,
    to: intent.acceptance.payTo,
    valueAtomic: intent.acceptance.amount,
  };
  const final = { log, blockTimeSeconds: BigInt(Math.floor(Date.now() / 1_000)), transfer, received: undefined };
  const running = harness.apply.applyLog(network, final, harness.nowMs());
  await new Promise((resolve) => setTimeout(resolve, 200));
  await client.query('commit');
  client.release();
  expect(await running).toEqual({ outcome: 'waits', reason: 'locked' });
  expect((await harness.apply.applyLog(network, final, harness.nowMs())).outcome).toBe('mismatched');
});

describe('what stays of an intent', () => {
  const COPIES = 1_000;
  const TABLES = ['intents', 'acceptances', 'events', 'intent_codes', 'late_terms'];

  /** Bytes of tables and indexes for each intent, before and after they left. */
  async function measure(metadataBytes: number) {
    const own = await createApplyHarness();
    const bytes = async () => {
      const { rows } = await own.pool.query<{ bytes: string }>(
        `select sum(pg_total_relation_size(relid)) as bytes from unnest($1::text[]) as named (name)
         cross join lateral pg_partition_tree(('svc.' || name)::regclass) where isleaf`,
        [TABLES],
      );
      return Number(rows[0]?.bytes);
    };
    const empty = await bytes();
    const metadata = { note: randomBytes((metadataBytes * 3) / 4).toString('base64') };
    const id = await createTestIntent(own.pool, { ...own.caller, kind: 'secret' }, { usdAmount: '1.5', metadata });
    await copyIntent(own.pool, id, COPIES);
    const before = ((await bytes()) - empty) / COPIES;
    await own.pool.query("update svc.intents set status = 'canceled'");
    expect(await removeAll(own)).toBe(1_000);
    expect(await removeAll(own)).toBe(1);
    for (const table of TABLES) await own.pool.query(`vacuum full svc.${table}`);
    return { before, after: ((await bytes()) - empty) / COPIES };
  }

  test.each([15_500, 2_000])('is less than a kilobyte, whatever was stored with %i bytes of metadata', async (size) => {
    const { before, after } = await measure(size);
    expect(before).toBeGreaterThan(1.5 * size);
    // Most of it is the half-empty pages of 32 partitions; a large table has 140 bytes of code and 130 of terms.
    expect(after).toBeLessThan(1_000);
  });

  test('names a way to pay that many intents were offered once', async () => {
    const { rows } = await pool.query<{ ways: number; terms: number }>(
      'select (select count(*)::integer from svc.late_ways) as ways, (select count(*)::integer from svc.late_terms) as terms',
    );
    expect(rows[0]?.ways).toBeLessThanOrEqual(3);
    expect(rows[0]?.terms).toBeGreaterThan(10);
  });
});

/** Copies every row of the intent, under new ids and codes. */
async function copyIntent(of: PostgresApplyHarness['pool'], id: string, copies: number): Promise<void> {
  const copied = "overlay(id placing lpad(n::text, 10, '0') from length(id) - 9)";
  for (const [table, idColumn] of [
    ['intents', 'id'],
    ['intent_codes', 'intent_id'],
    ['acceptances', 'intent_id'],
    ['events', 'intent_id'],
  ] as const) {
    const change = [`'${idColumn}', ${copied.replaceAll('id', `'${id}'`)}`];
    if (table === 'intents' || table === 'intent_codes') change.push("'intent_code', intent_code + n");
    if (table === 'events') change.push(`'id', ${copied}`);
    await of.query(
      `insert into svc.${table}
       select made.* from svc.${table} row, generate_series(1, $2::integer) n,
         lateral jsonb_populate_record(null::svc.${table}, to_jsonb(row) || jsonb_build_object(${change.join(', ')})) made
       where row.${idColumn} = $1`,
      [id, copies],
    );
  }
}
