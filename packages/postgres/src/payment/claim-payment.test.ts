import { randomBytes } from 'node:crypto';
import { type Caller, claimKey, type PaymentClaim, type StoredAcceptance } from '@svc-pay/core';
import { type Id, newId } from '@svc-pay/protocol/ids';
import { describe, expect, test } from 'vitest';
import { loadAcceptances } from '../intent/load-acceptances.ts';
import { loadStatus } from '../intent/load-intent.ts';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { createTestIntent } from '../testing/create-test-intent.ts';
import { seedMerchant } from '../testing/seed-merchant.ts';
import { whileUncommitted } from '../testing/while-uncommitted.ts';
import { claimPayment, claimPayments } from './claim-payment.ts';

const { pool } = await createTestDatabase();
const PAYER = `0x${'aA'.repeat(20)}`;

async function payableIntent(caller: Caller) {
  const intentId = await createTestIntent(pool, caller);
  const [acceptance] = await loadAcceptances(pool, caller, intentId);
  if (acceptance === undefined) throw new Error('nothing was offered');
  return { intentId, acceptance };
}

type Target = { intentId: Id<'paymentIntent'>; acceptance: StoredAcceptance };
function claimFor(
  caller: Caller,
  { intentId, acceptance }: Target,
  nonce = `0x${randomBytes(32).toString('hex')}`,
): PaymentClaim {
  const nowMs = Date.now();
  return {
    caller,
    intentId,
    paymentId: newId('payment', nowMs),
    claimKey: claimKey({
      network: acceptance.network,
      asset: acceptance.token.address,
      payer: PAYER,
      uniquePart: nonce,
    }),
    kind: 'transfer_with_authorization',
    byContract: false,
    acceptance,
    authorization: {
      from: PAYER,
      to: acceptance.payTo,
      value: acceptance.amount.toString(),
      validAfter: '1',
      validBefore: '4000000000',
      nonce,
    },
    signature: `0x${'1b'.repeat(65)}`,
    nowMs,
  };
}
const rows = async (table: string, { accountId }: Caller) =>
  (await pool.query(`select * from svc.${table} where account_id = $1`, [accountId])).rows;

test('what was offered comes back as it was offered', async () => {
  const caller = await seedMerchant(pool);
  const { acceptance } = await payableIntent(caller);
  expect(acceptance).toMatchObject({
    scheme: 'exact',
    network: 'eip155:84532',
    amount: 1_500_000n,
    maxTimeoutSeconds: 300,
    token: { shortcode: 'basesepolia_usdc' },
    rate: { usdPerToken: 10n ** 18n, source: 'fixed' },
  });
});

describe('what a payer has pending is limited', () => {
  const limited = async (caller: Caller, from: string, unsettledLimit: bigint) => {
    const target = await payableIntent(caller);
    const claim = claimFor(caller, target);
    const authorization = { ...claim.authorization, from };
    const claimed = await claimPayment(pool, { ...claim, authorization, unsettledLimit });
    return { ...claimed, claim };
  };

  test('by payer and token, over all accounts, and again when payments are settled', async () => {
    const [caller, other] = [await seedMerchant(pool), await seedMerchant(pool)];
    const payer = `0x${randomBytes(20).toString('hex')}`;
    // Each payment is 1,500,000.
    const first = await limited(caller, payer, 3_000_000n);
    expect(first.outcome).toBe('claimed');
    expect((await limited(other, payer, 3_000_000n)).outcome).toBe('claimed');
    const refused = await limited(caller, payer, 3_000_000n);
    expect(refused.outcome).toBe('payer_over_limit');
    expect(await loadStatus(pool, caller, refused.claim.intentId)).toMatchObject({
      intent: { status: 'requires_payment' },
      payment: null,
    });
    expect((await limited(caller, `0x${randomBytes(20).toString('hex')}`, 3_000_000n)).outcome).toBe('claimed');
    await pool.query("update svc.payments set status = 'failed', failure_code = 'x' where id = $1", [
      first.claim.paymentId,
    ]);
    expect((await limited(caller, payer, 3_000_000n)).outcome).toBe('claimed');
  });

  test('a payer with nothing pending pays any amount', async () => {
    const caller = await seedMerchant(pool);
    const payer = `0x${randomBytes(20).toString('hex')}`;
    expect((await limited(caller, payer, 1n)).outcome).toBe('claimed');
    expect((await limited(caller, payer, 1n)).outcome).toBe('payer_over_limit');
  });
});

test('a claim stores everything that settlement needs, in one commit', async () => {
  const caller = await seedMerchant(pool);
  const target = await payableIntent(caller);
  const claim = claimFor(caller, target);
  expect(await claimPayment(pool, claim)).toEqual({ outcome: 'claimed' });
  expect(await loadStatus(pool, caller, target.intentId)).toMatchObject({
    intent: { status: 'processing' },
    payment: {
      id: claim.paymentId,
      status: 'pending',
      amount: 1_500_000n,
      payer: PAYER.toLowerCase(),
      transactionId: null,
    },
  });
  const [settlement] = await rows('settlements', caller);
  expect(settlement).toMatchObject({
    status: 'queued',
    cap: '1500000',
    settled_amount: '1500000',
    payment_id: claim.paymentId,
  });
  const [authorization] = await rows('authorizations', caller);
  expect(authorization.signature.toString('hex')).toBe('1b'.repeat(65));
  expect(authorization).toMatchObject({ valid_before: '4000000000', closed_at: null, by_contract: false });
});

test('a claim keeps who answered for the signature', async () => {
  const caller = await seedMerchant(pool);
  const claim = { ...claimFor(caller, await payableIntent(caller)), byContract: true };
  expect(await claimPayment(pool, claim)).toEqual({ outcome: 'claimed' });
  expect(await rows('authorizations', caller)).toMatchObject([{ by_contract: true }]);
});

test('64 claims of one header at once: one payment, and everybody is told of it', async () => {
  const caller = await seedMerchant(pool);
  const target = await payableIntent(caller);
  const first = claimFor(caller, target);
  const claims = Array.from({ length: 64 }, () => ({ ...first, paymentId: newId('payment', Date.now()) }));
  const outcomes = await Promise.all(claims.map((claim) => claimPayment(pool, claim)));
  expect(outcomes.filter(({ outcome }) => outcome === 'claimed')).toHaveLength(1);
  const [payment, ...others] = await rows('payments', caller);
  expect(others).toEqual([]);
  for (const outcome of outcomes.filter(({ outcome: word }) => word !== 'claimed')) {
    expect(outcome).toEqual({ outcome: 'claimed_before', paymentId: payment.id });
  }
  for (const table of ['claims', 'authorizations', 'settlements']) expect(await rows(table, caller)).toHaveLength(1);
});

test('a claim that is run again, because nobody knows whether it was committed, is claimed once', async () => {
  const caller = await seedMerchant(pool);
  const claim = claimFor(caller, await payableIntent(caller));
  expect(await claimPayment(pool, claim)).toEqual({ outcome: 'claimed' });
  expect(await claimPayment(pool, claim)).toEqual({ outcome: 'claimed' });
  for (const table of ['claims', 'payments', 'settlements']) expect(await rows(table, caller)).toHaveLength(1);
});

test('one authorization on many intents at once: one pays, the others are refused and stay payable', async () => {
  const caller = await seedMerchant(pool);
  const targets = await Promise.all(Array.from({ length: 12 }, () => payableIntent(caller)));
  const nonce = `0x${randomBytes(32).toString('hex')}`;
  const outcomes = await Promise.all(targets.map((target) => claimPayment(pool, claimFor(caller, target, nonce))));
  const words = outcomes.map(({ outcome }) => outcome).sort();
  expect(words).toEqual([...Array<string>(11).fill('bound_elsewhere'), 'claimed']);
  const statuses = (await rows('intents', caller)).map(({ status }): string => status).sort();
  expect(statuses).toEqual(['processing', ...Array<string>(11).fill('requires_payment')]);
});

test('one nonce that is signed with two ends, on different days: one pays, whoever commits first, now or later', async () => {
  const caller = await seedMerchant(pool);
  const nonce = `0x${randomBytes(32).toString('hex')}`;
  const endingIn = async (days: number) => {
    const claim = claimFor(caller, await payableIntent(caller), nonce);
    const validBefore = String(Math.floor(Date.now() / 1_000) + days * 86_400);
    return { ...claim, authorization: { ...claim.authorization, validBefore } };
  };
  const [today, nextWeek, tomorrow] = [await endingIn(0), await endingIn(7), await endingIn(1)];
  const first = await pool.connect();
  try {
    await first.query('begin');
    const held = await claimPayment(first as unknown as typeof pool, nextWeek);
    expect(held).toEqual({ outcome: 'claimed' });
    // It can't see the claim, and waits for it.
    const waiting = claimPayment(pool, today);
    await expect
      .poll(
        async () =>
          (
            await pool.query(
              "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
            )
          ).rowCount,
        { timeout: 10_000 },
      )
      .toBe(1);
    await first.query('commit');
    expect(await waiting).toEqual({ outcome: 'bound_elsewhere' });
  } finally {
    first.release();
  }
  expect(await claimPayment(pool, tomorrow)).toEqual({ outcome: 'bound_elsewhere' });
  expect(await rows('payments', caller)).toHaveLength(1);
});

test('many headers for one intent at once: one pays, the others take no claim', async () => {
  const caller = await seedMerchant(pool);
  const target = await payableIntent(caller);
  // The lock is held until all claims have read the intent as payable: without a second check under the lock, the
  // intent would be claimed twice.
  const holder = await pool.connect();
  await holder.query('begin');
  await holder.query('select 1 from svc.intents where id = $1 for update', [target.intentId]);
  const claims = Array.from({ length: 5 }, () => claimPayment(pool, claimFor(caller, target)));
  const waiting = async () =>
    (await pool.query("select count(*)::integer as count from pg_stat_activity where wait_event_type = 'Lock'")).rows[0]
      .count;
  while ((await waiting()) < claims.length) await new Promise((resolve) => setTimeout(resolve, 10));
  await holder.query('commit');
  holder.release();
  const outcomes = await Promise.all(claims);
  expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['claimed', ...Array<string>(4).fill('intent_taken')]);
  for (const table of ['claims', 'payments', 'settlements']) expect(await rows(table, caller)).toHaveLength(1);
});

describe('no claim is taken', () => {
  test.each([
    ['on an expired intent', "expires_at = now() - interval '1 second'"],
    ['on a canceled intent', "status = 'canceled'"],
  ])('%s', async (_, change) => {
    const caller = await seedMerchant(pool);
    const target = await payableIntent(caller);
    await pool.query(`update svc.intents set ${change} where id = $1`, [target.intentId]);
    expect(await claimPayment(pool, claimFor(caller, target))).toEqual({ outcome: 'intent_taken' });
    expect(await rows('claims', caller)).toEqual([]);
  });
  test('for another account’s intent, nor is anything told of a claim there', async () => {
    const [owner, other] = [await seedMerchant(pool), await seedMerchant(pool)];
    const target = await payableIntent(owner);
    const claim = claimFor(owner, target);
    expect(await claimPayment(pool, { ...claim, caller: other })).toEqual({ outcome: 'intent_taken' });
    await claimPayment(pool, claim);
    expect(await claimPayment(pool, { ...claim, caller: other })).toEqual({ outcome: 'bound_elsewhere' });
  });
});

describe('claims in one statement', () => {
  test('are each judged for themselves, and each payment is made of its own claim', async () => {
    const [caller, other] = [await seedMerchant(pool), await seedMerchant(pool)];
    const [one, two, taken, foreign] = [
      await payableIntent(caller),
      await payableIntent(caller),
      await payableIntent(caller),
      await payableIntent(other),
    ];
    await claimPayment(pool, claimFor(caller, taken));
    const shared = `0x${randomBytes(32).toString('hex')}`;
    const claims = [
      claimFor(caller, one, shared),
      claimFor(caller, two, shared),
      claimFor(caller, taken),
      claimFor(other, foreign),
      claimFor(caller, { ...foreign, intentId: newId('paymentIntent', Date.now()) }),
    ];
    const outcomes = (await claimPayments(pool, claims)).map(({ outcome }) => outcome);
    expect(outcomes.slice(0, 2).toSorted()).toEqual(['bound_elsewhere', 'claimed']);
    expect(outcomes.slice(2)).toEqual(['intent_taken', 'claimed', 'intent_taken']);

    const winner = claims[outcomes.indexOf('claimed')];
    const loser = outcomes[0] === 'claimed' ? two : one;
    const payments = await rows('payments', caller);
    expect(payments).toHaveLength(2);
    expect(payments.find(({ id }) => id === winner?.paymentId)).toMatchObject({
      intent_id: winner?.intentId,
      status: 'pending',
    });
    expect((await rows('intents', caller)).find(({ id }) => id === loser.intentId)).toMatchObject({
      status: 'requires_payment',
      payment_id: null,
    });
    const [settlement] = await rows('settlements', other);
    const [payment] = await rows('payments', other);
    expect(settlement).toMatchObject({
      payment_id: claims[3]?.paymentId,
      intent_id: foreign.intentId,
      status: 'queued',
    });
    expect(payment).toMatchObject({ id: claims[3]?.paymentId, settlement_number: settlement.number });
  });

  test('of two processes at once, crosswise: every intent is paid once, and nobody waits for nobody', async () => {
    const caller = await seedMerchant(pool);
    const intents = await Promise.all(Array.from({ length: 20 }, () => payableIntent(caller)));
    const all = await Promise.all(
      Array.from({ length: 6 }, (_, turn) =>
        claimPayments(
          pool,
          (turn % 2 === 0 ? intents : intents.toReversed()).map((intent) => claimFor(caller, intent)),
        ),
      ),
    );
    const claimed = all.flat().filter(({ outcome }) => outcome === 'claimed');
    expect(claimed).toHaveLength(20);
    const payments = await rows('payments', caller);
    expect(new Set(payments.map(({ intent_id }) => intent_id)).size).toBe(20);
    expect(payments).toHaveLength(20);
  });
});

test.each([
  ['is canceled', "status = 'canceled', canceled_at = now()", 'intent_taken'],
  ['changes and stays payable', 'updated_at = now()', 'claimed'],
])(
  'an intent that %s while a group waits for it, and the others of the group, are claimed as they are',
  async (...of) => {
    const [, change, outcome] = of;
    const caller = await seedMerchant(pool);
    const targets: Target[] = [];
    while (targets.length < 4) targets.push(await payableIntent(caller));
    const claims = targets.map((target) => claimFor(caller, target));
    const first = targets.map(({ intentId }) => intentId).toSorted()[0];
    const outcomes = await whileUncommitted(pool, [`update svc.intents set ${change} where id = $1`, first], () =>
      claimPayments(pool, claims),
    );
    expect(outcomes).toEqual(targets.map(({ intentId }) => ({ outcome: intentId === first ? outcome : 'claimed' })));
    const claimed = claims.filter((_, index) => outcomes[index]?.outcome === 'claimed');
    const paid = await pool.query(
      'select id from svc.intents where account_id = $1 and status = $2 and payment_id = any ($3)',
      [caller.accountId, 'processing', claimed.map(({ paymentId }) => paymentId)],
    );
    expect(paid.rowCount).toBe(claimed.length);
  },
);
