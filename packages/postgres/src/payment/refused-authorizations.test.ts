import { randomBytes } from 'node:crypto';
import { claimKey, MAX_REFUSED_INTENTS, MAX_UNFUNDED, type RefusedAuthorization } from '@svc-pay/core';
import type { OfferedIntent } from '@svc-pay/core/testing/contracts';
import type { Id } from '@svc-pay/protocol/ids';
import { describe, expect, test } from 'vitest';
import { createApplyHarness, type PostgresApplyHarness } from '../testing/apply-harness.ts';
import { closeRefused, deleteClosedRefused, queueRefused, recordRefused } from './refused-authorizations.ts';

const hex = (bytes: number) => `0x${randomBytes(bytes).toString('hex')}`;

function refusedFor(
  { caller, nowMs }: PostgresApplyHarness,
  intent: OfferedIntent,
  funded: boolean,
): RefusedAuthorization {
  const { acceptance, intentId } = intent;
  const [from, nonce] = [hex(20), hex(32)];
  const { network, token } = acceptance;
  return {
    caller,
    intentId: intentId as Id<'paymentIntent'>,
    claimKey: claimKey({ network, asset: token.address, payer: from, uniquePart: nonce }),
    acceptance,
    authorization: { from, to: acceptance.payTo, value: '1', validAfter: '0', validBefore: '4000000000', nonce },
    direct: { bound: false, atBlock: 9n },
    code: 'insufficient_funds',
    funded,
    nowMs: nowMs(),
  };
}

describe('refused authorizations', () => {
  test('of wallets that could not pay are kept to the limit, by 64 calls at once, and others without limit', async () => {
    const harness = await createApplyHarness();
    const { pool } = harness;
    const [intent, other] = [await harness.offer({ use: 'exclusive' }), await harness.offer({ use: 'exclusive' })];
    const calls = Array.from({ length: 64 }, () => recordRefused(pool, refusedFor(harness, intent, false)));
    const answers = await Promise.all(calls);
    expect(answers.filter((answer) => answer === 'stored')).toHaveLength(MAX_UNFUNDED);
    expect(answers.filter((answer) => answer === 'full')).toHaveLength(64 - MAX_UNFUNDED);
    const funded = Array.from({ length: 64 }, () => recordRefused(pool, refusedFor(harness, intent, true)));
    expect(new Set(await Promise.all(funded))).toEqual(new Set(['stored']));
    expect(await recordRefused(pool, refusedFor(harness, other, false))).toBe('stored');
  });

  test('are kept for so many intents each', async () => {
    const harness = await createApplyHarness();
    const refused = refusedFor(harness, await harness.offer({ use: 'exclusive' }), true);
    const record = (intentId: string) =>
      recordRefused(harness.pool, { ...refused, intentId: intentId as Id<'paymentIntent'> });
    const intents: string[] = [];
    for (let index = 0; index <= MAX_REFUSED_INTENTS; index += 1) intents.push((await harness.offer()).intentId);
    const [last = '', ...others] = intents;
    for (const intentId of others) expect(await record(intentId)).toBe('stored');
    expect([await record(last), await record(others[0] ?? '')]).toEqual(['full', 'known']);
    expect(await recordRefused(harness.pool, refusedFor(harness, await harness.offer(), true))).toBe('stored');
  });

  test('are not stored for an intent that has left', async () => {
    const harness = await createApplyHarness();
    const refused = refusedFor(harness, await harness.offer({ use: 'exclusive' }), true);
    const gone = 'pi_00000000000000000000000000' as Id<'paymentIntent'>;
    for (const funded of [true, false])
      expect(await recordRefused(harness.pool, { ...refused, intentId: gone, funded })).toBe('full');
    const { rowCount } = await harness.pool.query('select from svc.refused_authorizations');
    expect(rowCount).toBe(0);
  });

  test('are stored once for an intent, however often they are submitted', async () => {
    const harness = await createApplyHarness();
    const refused = refusedFor(harness, await harness.offer({ use: 'exclusive' }), false);
    const answers = await Promise.all(Array.from({ length: 16 }, () => recordRefused(harness.pool, refused)));
    expect(answers.toSorted()).toEqual([...Array.from({ length: 15 }, () => 'known'), 'stored']);
  });
});

test('closed ones are deleted by age, as settlement’s role, and open ones never', async () => {
  const harness = await createApplyHarness();
  const { pool, nowMs } = harness;
  const intent = await harness.offer({ use: 'exclusive' });
  const keys = [];
  for (let index = 0; index < 3; index += 1) keys.push((await harness.refuse(intent)).claimKey);
  await closeRefused(pool, keys.slice(0, 1), nowMs() - 10);
  await closeRefused(pool, keys.slice(1, 2), nowMs());
  expect(await deleteClosedRefused(pool, nowMs(), 10)).toBe(1);
  const { rows } = await pool.query('select claim_key from svc.refused_authorizations order by created_at');
  expect(rows.map((row) => row.claim_key)).toEqual(keys.slice(1).map((key) => Buffer.from(key)));
  const { rows: granted } = await pool.query(
    "select has_table_privilege('svc_settlement', 'svc.refused_authorizations', 'delete') as may",
  );
  expect(granted).toEqual([{ may: true }]);
});

describe('a payment that the chain refused', () => {
  const refusedPayment = async () => {
    const harness = await createApplyHarness();
    const { settling, lane, pool, caller, nowMs } = harness;
    const intent = await harness.offer({ use: 'exclusive' });
    const { claimKey: key, paymentId } = await harness.claim(intent);
    const queue = () => settling.loadQueue(lane, { index: 0, count: 1 }, 9);
    const [item] = await queue();
    if (item === undefined) throw new Error('not queued');
    const lease = { ...lane, epoch: await settling.takeOver(lane) };
    const submit = (of = intent.intentId, afterMs = 5_000) =>
      queueRefused(pool, caller, of as Id<'paymentIntent'>, key, nowMs() + afterMs);
    const refuse = (outcome: 'insufficient_funds' | 'authorization_used') =>
      settling.recordUnsent(lease, [{ item, outcome }]);
    const settlement = async () => (await harness.read()).payments.find(({ id }) => id === paymentId)?.settlement;
    return { harness, intent, queue, submit, refuse, settlement };
  };

  test('is queued again when its header is submitted again, and pays its intent then', async () => {
    const { queue, submit, refuse, settlement } = await refusedPayment();
    expect(await submit()).toBe(false);
    await refuse('insufficient_funds');
    expect(await queue()).toEqual([]);
    expect((await Promise.all([submit(), submit(), submit()])).filter(Boolean)).toEqual([true]);
    expect(await settlement()).toBe('queued');
    expect(await queue()).toHaveLength(1);
  });

  test('is queued again at most once in five seconds', async () => {
    const { submit, refuse, intent, settlement } = await refusedPayment();
    await refuse('insufficient_funds');
    expect(await submit(intent.intentId, 4_999)).toBe(false);
    expect(await settlement()).toBe('held');
    expect(await submit()).toBe(true);
  });

  test('of a payer whose transfer used up its gas meanwhile goes to the solo queue', async () => {
    const { harness, queue, submit, refuse } = await refusedPayment();
    await refuse('insufficient_funds');
    await harness.pool.query(
      `insert into svc.solo_payers (network, payer, strikes, next_at, until)
       select network, payer, 1, 'infinity', 'infinity' from svc.claims`,
    );
    expect(await submit()).toBe(true);
    expect(await queue()).toEqual([]);
    const { rows } = await harness.pool.query('select solo_payer is not null as solo from svc.settlements');
    expect(rows).toEqual([{ solo: true }]);
  });

  test('is not queued for another intent, nor when it is held because it may have been paid', async () => {
    const { submit, refuse, settlement } = await refusedPayment();
    await refuse('authorization_used');
    expect(await submit()).toBe(false);
    expect(await submit('pi_other')).toBe(false);
    expect(await settlement()).toBe('held');
  });

  test('the API has no other way to change a settlement', async () => {
    const { harness, refuse, intent } = await refusedPayment();
    await refuse('insufficient_funds');
    const client = await harness.pool.connect();
    try {
      await client.query('begin');
      await client.query('set local role svc_api');
      const { rows } = await client.query(
        `select svc.queue_refused(account_id, mode, intent_id, claim_key, now() + interval '6 seconds') as queued from svc.claims where intent_id = $1`,
        [intent.intentId],
      );
      expect(rows).toEqual([{ queued: true }]);
      await expect(client.query("update svc.settlements set status = 'queued'")).rejects.toMatchObject({
        code: '42501',
      });
    } finally {
      await client.query('rollback');
      client.release();
    }
  });
});
