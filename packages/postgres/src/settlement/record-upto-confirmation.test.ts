import { UPTO_CAP_METADATA_KEY, uptoAuthorizationReceivedEvent } from '@svc-pay/protocol';
import { expect, test } from 'vitest';
import { confirmationFor, randomNonce, uptoIntent } from '../testing/confirm-upto.ts';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { createTestIntent } from '../testing/create-test-intent.ts';
import { seedMerchant } from '../testing/seed-merchant.ts';
import { loadUpto } from './load-upto.ts';
import { recordConfirmation } from './record-upto-confirmation.ts';

const { pool } = await createTestDatabase();
const caller = await seedMerchant(pool, { tokens: ['basesepolia_usdc'] });
const receivedOf = async (intentId: string) =>
  (
    await pool.query(
      `select convert_from(body, 'UTF8') as body, sequence from svc.events
       where intent_id = $1 and type = 'x402_upto_authorization_received' order by sequence`,
      [intentId],
    )
  ).rows;

test('a confirmation stores the signature, the cap and the window, and announces them with every field', async () => {
  const intentId = await uptoIntent(pool, caller);
  const confirmation = await confirmationFor(pool, caller, intentId);
  expect(await recordConfirmation(pool, confirmation)).toBe('confirmed');
  const network = confirmation.acceptance.network;
  const read = await loadUpto(pool, caller, intentId, { ...confirmation.authorization, network });
  expect(read).toMatchObject({
    latest: null,
    submittedIsStored: true,
    stored: { network, cap: 1_500_000n, closed: false },
    intent: {
      status: 'requires_payment',
      confirmedPayer: `0x${'aa'.repeat(20)}`,
      serviceMetadata: { [UPTO_CAP_METADATA_KEY]: '1500000' },
      expiresAtMs: Number(confirmation.authorization.validBefore) * 1_000,
    },
  });
  const [event, ...others] = await receivedOf(intentId);
  expect(others).toEqual([]);
  expect(event.sequence).toBe(2);
  const parsed = uptoAuthorizationReceivedEvent.parse(JSON.parse(event.body));
  expect(parsed.data.object).toEqual({
    id: intentId,
    object: 'payment_intent',
    paymentIntentId: intentId,
    status: 'requires_payment',
    amount: '1500000',
    amountUsd: 1.5,
    ledgerCanisterId: confirmation.acceptance.token.address,
    payer: `0x${'aa'.repeat(20)}`,
    metadata: { [UPTO_CAP_METADATA_KEY]: '1500000' },
    intentCode: read?.intent.intentCode,
    tokens: ['basesepolia_usdc'],
    createdWith: 'secret',
  });
});

test('open caps are limited by payer and by account, and one that is closed makes room', async () => {
  const crowded = await seedMerchant(pool, { tokens: ['basesepolia_usdc'] });
  const confirm = async (payer: string, openCaps: { perPayer: number; perAccount: number }) => {
    const intentId = await uptoIntent(pool, crowded);
    const confirmation = await confirmationFor(pool, crowded, intentId);
    const authorization = { ...confirmation.authorization, from: payer };
    const outcome = await recordConfirmation(pool, { ...confirmation, authorization, openCaps });
    return { outcome, intentId };
  };
  const [payer, other] = [`0x${'b1'.repeat(20)}`, `0x${'b2'.repeat(20)}`];
  const first = await confirm(payer, { perPayer: 2, perAccount: 10 });
  expect(first.outcome).toBe('confirmed');
  expect((await confirm(payer, { perPayer: 2, perAccount: 10 })).outcome).toBe('confirmed');
  expect((await confirm(payer, { perPayer: 2, perAccount: 10 })).outcome).toBe('too_many_open');
  // Two are open: a payer with none may be the third where the account may have two, and not where it may have one.
  expect((await confirm(other, { perPayer: 2, perAccount: 1 })).outcome).toBe('too_many_open');
  expect((await confirm(other, { perPayer: 2, perAccount: 2 })).outcome).toBe('confirmed');
  expect((await confirm(other, { perPayer: 2, perAccount: 3 })).outcome).toBe('too_many_open');
  await pool.query('update svc.authorizations set closed_at = now() where intent_id = $1', [first.intentId]);
  expect((await confirm(payer, { perPayer: 2, perAccount: 10 })).outcome).toBe('confirmed');
});

test('16 at once: one confirms, the others find it there, and there is one event', async () => {
  const intentId = await uptoIntent(pool, caller);
  const confirmation = await confirmationFor(pool, caller, intentId);
  const outcomes = await Promise.all(Array.from({ length: 16 }, () => recordConfirmation(pool, confirmation)));
  expect(outcomes.filter((outcome) => outcome === 'confirmed')).toHaveLength(1);
  expect(outcomes.filter((outcome) => outcome === 'confirmed_before')).toHaveLength(15);
  expect(await receivedOf(intentId)).toHaveLength(1);
});

test('one authorization for two intents at once: one keeps it, nothing of it is left on the other', async () => {
  const nonce = randomNonce();
  const intents = [await uptoIntent(pool, caller), await uptoIntent(pool, caller)];
  const confirmations = await Promise.all(intents.map((id) => confirmationFor(pool, caller, id, { nonce })));
  const outcomes = await Promise.all(confirmations.map((confirmation) => recordConfirmation(pool, confirmation)));
  expect([...outcomes].sort()).toEqual(['bound_elsewhere', 'confirmed']);
  const loser = intents[outcomes.indexOf('bound_elsewhere')];
  expect(await receivedOf(loser ?? '')).toEqual([]);
  expect(await loadUpto(pool, caller, loser as never, null)).toMatchObject({ stored: null });
});

test('another authorization is refused while the first is usable, and takes its place in its last minute', async () => {
  const intentId = await uptoIntent(pool, caller);
  const nowMs = Date.now();
  const endsAt = Math.floor(nowMs / 1_000) + 100;
  const first = await confirmationFor(pool, caller, intentId, { nowMs, validBeforeSeconds: endsAt });
  expect(await recordConfirmation(pool, first)).toBe('confirmed');
  const second = (laterMs: number) => confirmationFor(pool, caller, intentId, { nowMs: nowMs + laterMs });
  expect(await recordConfirmation(pool, await second(1_000))).toBe('other_confirmed');
  const replacement = await second(42_000);
  expect(await recordConfirmation(pool, replacement)).toBe('confirmed');
  const read = await loadUpto(pool, caller, intentId, null);
  expect(read?.stored?.validBeforeSeconds.toString()).toBe(replacement.authorization.validBefore);
  expect(await receivedOf(intentId)).toHaveLength(2);
});

test('an exact, a canceled or an expired intent takes none', async () => {
  const exact = await createTestIntent(pool, caller);
  expect(await recordConfirmation(pool, await confirmationFor(pool, caller, exact))).toBe('intent_taken');
  const canceled = await uptoIntent(pool, caller);
  await pool.query("update svc.intents set status = 'canceled' where id = $1", [canceled]);
  expect(await recordConfirmation(pool, await confirmationFor(pool, caller, canceled))).toBe('intent_taken');
  const expired = await uptoIntent(pool, caller);
  await pool.query("update svc.intents set expires_at = now() - interval '1 second' where id = $1", [expired]);
  expect(await recordConfirmation(pool, await confirmationFor(pool, caller, expired))).toBe('intent_taken');
});
