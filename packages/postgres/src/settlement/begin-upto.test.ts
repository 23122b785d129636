import { createHash } from 'node:crypto';
import { systemClock } from '@svc-pay/core';
import type { Id } from '@svc-pay/protocol/ids';
import { expect, test } from 'vitest';
import { expireIntents } from '../intent/expire-intents.ts';
import { loadStatus } from '../intent/load-intent.ts';
import { recordCancellation } from '../intent/record-cancellation.ts';
import { confirmationFor, uptoIntent } from '../testing/confirm-upto.ts';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { createLaneWorld } from '../testing/lane-world.ts';
import { insertRow } from '../testing/sample-rows.ts';
import { seedMerchant } from '../testing/seed-merchant.ts';
import { beginUpto, type UptoSettlement } from './begin-upto.ts';
import { recordConfirmation } from './record-upto-confirmation.ts';

const { pool } = await createTestDatabase();
const lane = await createLaneWorld(pool);
const { caller } = lane;
const own = { account_id: caller.accountId, mode: caller.mode };
const key = (id: string, change: object = {}) =>
  insertRow(pool, 'api_keys', { ...own, id, lookup: createHash('sha256').update(id).digest(), ...change });
await key('key_test');
const deps = { pool, clock: systemClock, processorVersion: (): string | undefined => '1.3.0' };
const CAP = 1_500_000n;

async function confirmedIntent(validBeforeSeconds?: number): Promise<Id<'paymentIntent'>> {
  const intentId = await uptoIntent(pool, caller);
  const wish = validBeforeSeconds === undefined ? {} : { validBeforeSeconds };
  const outcome = await recordConfirmation(pool, await confirmationFor(pool, caller, intentId, wish));
  if (outcome !== 'confirmed') throw new Error(outcome);
  return intentId;
}
const begin = (
  intentId: Id<'paymentIntent'>,
  settledAtomic: bigint,
  given = deps,
  asked: Partial<UptoSettlement> = {},
) => beginUpto(given, { ...caller, intentId, settledAtomic, keyId: 'key_test', ...asked });
const rows = async (query: string, ...values: unknown[]) => (await pool.query(query, values)).rows;

test('what is begun settles with its refund, and the intent says how much', async () => {
  const intentId = await confirmedIntent();
  const began = await begin(intentId, 1_234_567n);
  if (!began.ok) throw new Error(began.code);
  const read = await loadStatus(pool, caller, intentId);
  expect(read).toMatchObject({
    intent: { status: 'processing' },
    payment: { id: began.paymentId, status: 'pending', amount: 1_234_567n, requestedAmount: CAP, paidAmount: null },
  });
  await lane.settle();
  const entries = await rows(
    "select account_name, amount from svc.ledger_entries where payment_id = $1 and asset <> 'native' order by amount",
    began.paymentId,
  );
  expect(entries).toEqual([
    { account_name: 'payer', amount: '-1500000' },
    { account_name: 'platform_fee', amount: '12345' },
    { account_name: 'refund', amount: '265433' },
    { account_name: 'merchant', amount: '1222222' },
  ]);
  expect(await loadStatus(pool, caller, intentId)).toMatchObject({
    intent: {
      status: 'completed',
      serviceMetadata: {
        svc_x402_upto_max_amount_atomic: '1500000',
        svc_x402_upto_settled_amount_atomic: '1234567',
      },
    },
    payment: { status: 'completed', paidAmount: 1_234_567n },
  });
  const [event] = await rows(
    "select convert_from(body, 'UTF8') as body from svc.events where intent_id = $1 and type = 'payment.completed'",
    intentId,
  );
  expect(JSON.parse(event.body).data.object.metadata).toMatchObject({
    svc_x402_upto_settled_amount_atomic: '1234567',
  });
});

test('32 at once with one amount: one payment, one settlement, one line in the audit record', async () => {
  const intentId = await confirmedIntent();
  const began = await Promise.all(Array.from({ length: 32 }, () => begin(intentId, 77n)));
  expect(new Set(began.map((one) => one.ok && one.paymentId)).size).toBe(1);
  expect(began.filter((one) => one.ok && one.begunCapAtomic === CAP)).toHaveLength(1);
  expect(await rows('select settled_amount, cap from svc.settlements where intent_id = $1', intentId)).toEqual([
    { settled_amount: '77', cap: '1500000' },
  ]);
  const audit = await rows('select actor, action, detail from svc.audit where target = $1', intentId);
  expect(audit).toEqual([
    {
      actor: 'key:key_test',
      action: 'upto.settled',
      detail: expect.objectContaining({ settledAmount: '77', capAmount: '1500000' }),
    },
  ]);
  expect(await begin(intentId, 78n)).toEqual({ ok: false, code: 'upto_already_settled' });
});

test('it checks cap, window, processor and intent by itself, and writes nothing when one of them is wrong', async () => {
  const before = await rows('select count(*) from svc.payments');
  const intentId = await confirmedIntent();
  expect(await begin(intentId, CAP + 1n)).toEqual({ ok: false, code: 'settled_amount_out_of_range' });
  expect(await begin(intentId, 0n)).toEqual({ ok: false, code: 'settled_amount_out_of_range' });
  const version = (text: string | undefined) => ({ ...deps, processorVersion: () => text });
  expect(await begin(intentId, 1n, version('1.2.0'))).toEqual({ ok: false, code: 'x402_upto_not_available' });
  expect(await begin(intentId, 1n, version(undefined))).toEqual({ ok: false, code: 'x402_upto_not_available' });
  const short = await confirmedIntent(Math.floor(Date.now() / 1_000) + 59);
  expect(await begin(short, 1n)).toEqual({ ok: false, code: 'authorization_expired' });
  expect(await begin(await uptoIntent(pool, caller), 1n)).toEqual({ ok: false, code: 'upto_not_confirmed' });
  expect(await begin('pi_none' as never, 1n)).toEqual({ ok: false, code: 'not_found' });
  expect(await rows('select count(*) from svc.payments')).toEqual(before);
});

test('an intent of another account or mode is not found, and nothing is written', async () => {
  const intentId = await confirmedIntent();
  const other = await seedMerchant(pool, { tokens: ['basesepolia_usdc'] });
  const missing = { ok: false, code: 'not_found' };
  const unnamed = { keyId: null };
  expect(await begin(intentId, 1n, deps, { ...unnamed, accountId: other.accountId })).toEqual(missing);
  expect(await begin(intentId, 1n, deps, { ...unnamed, mode: 'live' })).toEqual(missing);
  expect(await rows('select from svc.settlements where intent_id = $1', intentId)).toEqual([]);
  expect(await begin(intentId, 1n, deps, unnamed)).toMatchObject({ ok: true, begunCapAtomic: CAP });
  expect(await rows('select actor from svc.audit where target = $1', intentId)).toEqual([
    { actor: 'service:internal' },
  ]);
});

test('only a secret key of the account is taken for the one who asks', async () => {
  const intentId = await confirmedIntent();
  const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000);
  await key('key_old', { revoked_at: ago(61) });
  await key('key_expired', { expires_at: ago(61) });
  await key('key_live', { mode: 'live' });
  await key('key_public', { kind: 'publishable', publishable_text: 'pk', ciphertext: null });
  const other = await seedMerchant(pool, { tokens: ['basesepolia_usdc'] });
  await key('key_other', { account_id: other.accountId });
  for (const keyId of ['key_none', 'key_old', 'key_expired', 'key_live', 'key_public', 'key_other'])
    expect([keyId, await begin(intentId, 1n, deps, { keyId })]).toEqual([keyId, { ok: false, code: 'key_invalid' }]);
  expect(await rows('select from svc.settlements where intent_id = $1', intentId)).toEqual([]);
  // The API may have cached the key when it was revoked.
  await key('key_just_revoked', { revoked_at: ago(1) });
  expect(await begin(intentId, 1n, deps, { keyId: 'key_just_revoked' })).toMatchObject({ ok: true });
});

test('a failed attempt is followed by another with the same authorization, in another amount', async () => {
  const intentId = await confirmedIntent();
  const first = await begin(intentId, 5n);
  if (!first.ok) throw new Error(first.code);
  lane.chain.spoil(first.paymentId, 'insufficient_funds', 'simulated');
  await lane.settle();
  const second = await begin(intentId, 6n);
  if (!second.ok) throw new Error(second.code);
  expect(second.paymentId).not.toBe(first.paymentId);
  await lane.settle();
  expect(await loadStatus(pool, caller, intentId)).toMatchObject({ payment: { status: 'completed', paidAmount: 6n } });
  expect(await rows('select payment_id from svc.claims where intent_id = $1', intentId)).toEqual([
    { payment_id: second.paymentId },
  ]);
});

test('a payer who confirmed again is charged by the newest authorization, not by one that was closed', async () => {
  const intentId = await uptoIntent(pool, caller);
  const [first, second] = [
    await confirmationFor(pool, caller, intentId),
    await confirmationFor(pool, caller, intentId),
  ];
  expect(await recordConfirmation(pool, first)).toBe('confirmed');
  await pool.query('update svc.authorizations set closed_at = now() where claim_key = $1', [first.claimKey]);
  expect(await recordConfirmation(pool, { ...second, nowMs: first.nowMs + 1 })).toBe('confirmed');
  const began = await begin(intentId, 8n);
  if (!began.ok) throw new Error(began.code);
  const settled = await rows('select claim_key from svc.settlements where payment_id = $1', began.paymentId);
  expect(settled).toEqual([{ claim_key: Buffer.from(second.claimKey) }]);
  expect(await rows('select claim_key from svc.claims where payment_id = $1', began.paymentId)).toEqual(settled);
});

test('a cap that was not offered is not settled, whatever the authorization says', async () => {
  const intentId = await confirmedIntent();
  await pool.query('update svc.acceptances set amount = amount - 1 where intent_id = $1', [intentId]);
  expect(await begin(intentId, 8n)).toEqual({ ok: false, code: 'upto_not_confirmed' });
  expect(await rows('select from svc.settlements where intent_id = $1', intentId)).toEqual([]);
});

test('release and settle at once: either it is canceled without a payment, or it is settled', async () => {
  for (let round = 0; round < 20; round += 1) {
    const intentId = await confirmedIntent();
    const before = await loadStatus(pool, caller, intentId);
    if (before === undefined) throw new Error('the intent is gone');
    const [began, released] = await Promise.all([
      begin(intentId, 9n),
      recordCancellation(pool, Date.now(), caller, before.intent, null, 'upto.released', {
        requestId: 'req_1',
        idempotencyKey: null,
      }),
    ]);
    const after = await loadStatus(pool, caller, intentId);
    if (began.ok) expect([after?.intent.status, released.outcome]).toEqual(['processing', 'changed_meanwhile']);
    else expect([after?.intent.status, after?.payment, began.code]).toEqual(['canceled', null, 'intent_not_payable']);
  }
});

test('a window that ended unsettled is canceled once; one that is being settled is not', async () => {
  const nowMs = Date.now();
  const soon = Math.floor(nowMs / 1_000) + 70;
  // Expires the intents of earlier tests.
  await expireIntents(pool, soon * 1_000 - 1, 500);
  const [idle, busy] = [await confirmedIntent(soon), await confirmedIntent(soon)];
  await begin(busy, 3n);
  expect(await expireIntents(pool, soon * 1_000 - 1, 500)).toBe(0);
  expect(await expireIntents(pool, soon * 1_000, 500)).toBe(1);
  expect(await expireIntents(pool, soon * 1_000 + 60_000, 500)).toBe(0);
  expect((await loadStatus(pool, caller, idle))?.intent.status).toBe('canceled');
  expect((await loadStatus(pool, caller, busy))?.intent.status).toBe('processing');
});
