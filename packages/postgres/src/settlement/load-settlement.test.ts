import { randomBytes } from 'node:crypto';
import { type Caller, claimKey, type StoredAcceptance, type SubmittedAuthorization } from '@svc-pay/core';
import { type Id, newId } from '@svc-pay/protocol/ids';
import { describe, expect, test } from 'vitest';
import { openDatabase } from '../database/open-database.ts';
import { loadAcceptances } from '../intent/load-acceptances.ts';
import { loadStatus } from '../intent/load-intent.ts';
import { markAsleep, markAwake } from '../lane/awake-lanes.ts';
import { claimPayment, findClaim } from '../payment/claim-payment.ts';
import { findFinished } from '../payment/find-finished.ts';
import { recordAttempt } from '../payment/record-refused-attempt.ts';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { createTestIntent } from '../testing/create-test-intent.ts';
import { insertRow } from '../testing/sample-rows.ts';
import { seedMerchant } from '../testing/seed-merchant.ts';
import { loadClaimed, loadResults, loadSettlement } from './load-settlement.ts';

const { pool, url } = await createTestDatabase();
const PAYER = `0x${'aA'.repeat(20)}`;

async function claimed(caller: Caller, intentId?: Id<'paymentIntent'>, by = pool) {
  const id = intentId ?? (await createTestIntent(pool, caller));
  const [acceptance] = await loadAcceptances(pool, caller, id);
  if (acceptance === undefined) throw new Error('nothing was offered');
  const { network, token, payTo, amount } = acceptance;
  const nonce = `0x${randomBytes(32).toString('hex')}`;
  const authorization = {
    from: PAYER,
    to: payTo,
    value: amount.toString(),
    validAfter: '1',
    validBefore: '4000000000',
    nonce,
  };
  const key = claimKey({ network, asset: token.address, payer: PAYER, uniquePart: nonce });
  const paymentId = newId('payment', Date.now());
  const { outcome } = await claimPayment(by, {
    caller,
    intentId: id,
    paymentId,
    claimKey: key,
    kind: 'transfer_with_authorization',
    byContract: false,
    acceptance,
    authorization,
    signature: `0x${'1b'.repeat(65)}`,
    nowMs: Date.now(),
  });
  if (outcome !== 'claimed') throw new Error(outcome);
  return { intentId: id, paymentId, key, submitted: { ...authorization, network } satisfies SubmittedAuthorization };
}
const fail = (paymentId: string, intentId: string) =>
  pool.query(
    `with ended as (update svc.payments set status = 'failed', failure_code = 'token_refused' where id = $1)
     update svc.intents set status = 'requires_payment' where id = $2`,
    [paymentId, intentId],
  );

describe('the payment of a header', () => {
  test('is found by the whole of what was signed, in any letter case, and by nothing less', async () => {
    const caller = await seedMerchant(pool);
    const { intentId, paymentId, submitted } = await claimed(caller);
    const ownOf = async (change: Partial<SubmittedAuthorization>) =>
      (await loadSettlement(pool, caller, intentId, { ...submitted, ...change }))?.own?.payment.id;
    expect(await ownOf({})).toBe(paymentId);
    expect(
      await ownOf({ from: submitted.from.toLowerCase(), to: submitted.to.toUpperCase().replace('0X', '0x') }),
    ).toBe(paymentId);
    for (const change of [
      { from: submitted.to },
      { to: submitted.from },
      { value: '1' },
      { validAfter: '2' },
      { validBefore: '4000000001' },
      { nonce: `0x${'00'.repeat(32)}` },
    ]) {
      expect(await ownOf(change)).toBeUndefined();
    }
    expect((await loadSettlement(pool, caller, intentId, null))?.own).toBeNull();
  });

  test('is found after another payment took its place, and each header has its own', async () => {
    const caller = await seedMerchant(pool);
    const first = await claimed(caller);
    await fail(first.paymentId, first.intentId);
    const second = await claimed(caller, first.intentId);
    expect(await loadSettlement(pool, caller, first.intentId, first.submitted)).toMatchObject({
      latest: { payment: { id: second.paymentId } },
      own: { payment: { id: first.paymentId, status: 'failed' }, failureCode: 'token_refused' },
    });
    const read = await loadSettlement(pool, caller, first.intentId, second.submitted);
    expect(read?.own?.payment.id).toBe(second.paymentId);
    expect(read?.own).toBe(read?.latest);
  });

  test('is nobody else’s to see', async () => {
    const [owner, other] = [await seedMerchant(pool), await seedMerchant(pool)];
    const { intentId, key, submitted } = await claimed(owner);
    expect(await loadSettlement(pool, other, intentId, submitted)).toBeUndefined();
    expect(await findClaim(pool, owner, intentId, key)).toBe('here');
    expect(await findClaim(pool, other, intentId, key)).toBe('elsewhere');
    expect(await findClaim(pool, owner, intentId, randomBytes(32))).toBeUndefined();
  });

  test('is found by its claim for its own intent alone', async () => {
    const [owner, other] = [await seedMerchant(pool), await seedMerchant(pool)];
    const { intentId, paymentId, key } = await claimed(owner);
    const { intentId: sibling } = await claimed(owner);
    expect((await loadClaimed(pool, owner, intentId, key))?.payment.id).toBe(paymentId);
    expect(await loadClaimed(pool, owner, sibling, key)).toBeNull();
    expect(await loadClaimed(pool, other, intentId, key)).toBeNull();
    expect(await loadClaimed(pool, owner, intentId, randomBytes(32))).toBeNull();
  });
});

describe('the result of a payment that a call waits for', () => {
  test.each(['completed', 'failed'])('is what the whole read says, once it is %s', async (status) => {
    const caller = await seedMerchant(pool);
    const { intentId, paymentId, submitted } = await claimed(caller);
    if (status === 'failed') await fail(paymentId, intentId);
    else
      await pool.query(
        `with ended as (
           update svc.payments set status = 'completed', paid_amount = amount, fee_amount = 7, refund_amount = 0,
             external_cost_amount = 1234, completed_at = now(), transaction_id = '0x7a' where id = $1
         )
         update svc.intents set status = 'completed' where id = $2`,
        [paymentId, intentId],
      );
    const [result] = await loadResults(pool, [{ caller, intentId, paymentId }]);
    expect(result?.own?.payment.status).toBe(status);
    expect(result).toEqual(await loadSettlement(pool, caller, intentId, submitted));
  });

  test('is not told while it is pending, of another’s, or when another payment took its place; each has its own', async () => {
    const [caller, other] = [await seedMerchant(pool), await seedMerchant(pool)];
    const [pending, failed, replaced] = [await claimed(caller), await claimed(caller), await claimed(caller)];
    for (const { paymentId, intentId } of [failed, replaced]) await fail(paymentId, intentId);
    const later = await claimed(caller, replaced.intentId);
    const asked = [
      { caller, ...pending },
      { caller, ...failed },
      { caller: other, ...failed },
      { caller, ...replaced },
      { caller, ...failed, intentId: pending.intentId },
    ];
    expect(later.intentId).toBe(replaced.intentId);
    expect((await loadResults(pool, asked)).map((result) => result?.latest?.payment.id)).toEqual([
      undefined,
      failed.paymentId,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

test('reading one intent reads one payment, however many the account has and whatever the planner knows', async () => {
  const caller = await seedMerchant(pool);
  const [one] = await Promise.all(Array.from({ length: 50 }, () => claimed(caller)));
  if (one === undefined) throw new Error('no payment');
  const database = openDatabase(url, {
    applicationName: 'plans',
    maxConnections: 1,
    statementTimeoutMs: 10_000,
    byKeys: true,
    onConnectionLost: () => {},
  });
  await loadStatus(database.pool, caller, one.intentId);
  await loadSettlement(database.pool, caller, one.intentId, one.submitted);
  await findFinished(database.pool, [{ caller, intentId: one.intentId, paymentId: one.paymentId }]);
  const rowsRead = async (statement: string, ...values: string[]) => {
    const text = `explain (analyze, format json) execute "${statement}"(${values.map((value) => `'${value}'`).join()})`;
    const { rows } = await database.pool.query<{ 'QUERY PLAN': unknown }>(text);
    const counts = JSON.stringify(rows[0]?.['QUERY PLAN']).matchAll(/"Actual Rows":\s*([\d.]+)/g);
    return Math.max(...[...counts].map(([, count]) => Number(count)));
  };
  const { accountId, mode } = caller;
  const { from, nonce, network, to, value, validAfter, validBefore } = one.submitted;
  const signed = [from.toLowerCase(), `\\x${nonce.slice(2)}`, network, to, value, validAfter, validBefore];
  expect(await rowsRead('load-status', accountId, mode, one.intentId)).toBe(1);
  const asSets = [accountId, mode, one.intentId, ...signed].map((part) => `{${part.replace('\\', '\\\\')}}`);
  expect(await rowsRead('load-settlements', ...asSets)).toBe(1);
  expect(await rowsRead('find-ended', `{${accountId}}`, `{${mode}}`, `{${one.paymentId}}`)).toBe(1);
  await database.close();
});

test('a payment is claimed and looked up by keys alone, also by a plan that was made while the tables were empty', async () => {
  const young = await createTestDatabase();
  const database = openDatabase(young.url, {
    applicationName: 'plans',
    maxConnections: 1,
    statementTimeoutMs: 10_000,
    byKeys: true,
    onConnectionLost: () => {},
  });
  const nobody = { caller: { accountId: 'acct', mode: 'test' } as Caller, intentId: 'pi', paymentId: 'pay' };
  await findFinished(database.pool, [nobody as Parameters<typeof findFinished>[1][number]]);
  await loadResults(database.pool, [nobody as Parameters<typeof loadResults>[1][number]]);
  await loadSettlement(database.pool, nobody.caller, nobody.intentId as Id<'paymentIntent'>, null);
  await claimPayment(database.pool, {
    ...nobody,
    intentId: nobody.intentId as Id<'paymentIntent'>,
    paymentId: nobody.paymentId as Id<'payment'>,
    claimKey: randomBytes(32),
    kind: 'permit',
    byContract: false,
    acceptance: {
      network: 'eip155:1',
      token: {},
      amount: 1n,
      payoutId: 1n,
      rate: { usdPerToken: 1n },
    } as unknown as StoredAcceptance,
    authorization: { from: PAYER, to: PAYER, value: '1', validAfter: '1', validBefore: '2', nonce: '0x00' },
    signature: '0x00',
    nowMs: 0,
  });
  for (const statement of ['claim-payment', 'load-settlements', 'load-results', 'find-ended']) {
    const { rows: given } = await database.pool.query<{ types: string[] }>(
      'select parameter_types::text[] as types from pg_prepared_statements where name = $1',
      [statement],
    );
    const values = given[0]?.types.map((type) => (type === 'text' ? "'x'" : type === 'text[]' ? "'{x}'" : 'null'));
    const { rows } = await database.pool.query<{ 'QUERY PLAN': unknown }>(
      `explain (format json) execute "${statement}"(${values?.join()})`,
    );
    const plan = JSON.stringify(rows[0]?.['QUERY PLAN']);
    const indexes = [...plan.matchAll(/"Index Name":\s*"([^"]+)"/g)].map(([, name]) => name);
    expect(indexes.length).toBeGreaterThan(0);
    // A claim sums what its payer has pending, by an index of its own.
    const others = indexes.filter((name) => name?.endsWith('_pkey') !== true);
    expect(others.filter((name) => name?.endsWith('_network_payer_asset_amount_idx') !== true)).toEqual([]);
    expect(plan).not.toMatch(/"(?:Seq Scan|Hash Join|Merge Join)"/);
  }
  await database.close();
});

test('those that have ended are found among many, each in its own account', async () => {
  const [caller, other] = [await seedMerchant(pool), await seedMerchant(pool)];
  const [one, two, three] = [await claimed(caller), await claimed(caller), await claimed(other)];
  await fail(two.paymentId, two.intentId);
  await fail(three.paymentId, three.intentId);
  expect(
    await findFinished(pool, [
      { caller, ...one },
      { caller, ...two },
      { caller, ...three },
      { caller: other, ...three },
    ]),
  ).toEqual([two.paymentId, three.paymentId]);
});

test('a refusal is kept once per code and payer, and an intent keeps twenty', async () => {
  const caller = await seedMerchant(pool);
  const intentId = await createTestIntent(pool, caller);
  const refuse = (code: 'invalid_signature' | 'amount_mismatch', payer: string | null) =>
    recordAttempt(pool, { caller, intentId, code, detail: null, payer, nowMs: Date.now() });
  const kept = async () =>
    (await pool.query('select code, payer from svc.attempts where intent_id = $1', [intentId])).rows.length;
  await refuse('invalid_signature', PAYER);
  await refuse('invalid_signature', PAYER);
  await refuse('invalid_signature', null);
  await refuse('invalid_signature', null);
  await refuse('amount_mismatch', PAYER);
  expect(await kept()).toBe(3);
  for (let count = 0; count < 30; count += 1) await refuse('invalid_signature', `0x${count}`);
  expect(await kept()).toBe(20);
});

test('lanes are marked awake by one caller each, and only those that work', async () => {
  const network = 'eip155:84532' as SubmittedAuthorization['network'];
  await pool.query('delete from svc.batches');
  await pool.query('delete from svc.relayers');
  await insertRow(pool, 'relayers', { address: '0xactive' });
  await insertRow(pool, 'relayers', { address: '0xdraining', status: 'draining' });
  await insertRow(pool, 'relayers', { address: '0xelsewhere', network: 'eip155:1' });
  const marked = await Promise.all(Array.from({ length: 8 }, () => markAwake(pool, network)));
  expect(marked.flat()).toEqual([{ network, relayer: '0xactive' }]);
  await markAsleep(pool, { network, relayer: '0xactive' });
  expect(await markAwake(pool, network)).toHaveLength(1);
});
