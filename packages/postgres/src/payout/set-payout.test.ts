import type { PayoutRequest } from '@svc-pay/core';
import { basisPoints, type PayoutTerms, payoutTerms } from '@svc-pay/money';
import { evmNetwork, parseNetwork } from '@svc-pay/protocol';
import { expect, test } from 'vitest';
import { loadAcceptances } from '../intent/load-acceptances.ts';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { createTestIntent } from '../testing/create-test-intent.ts';
import { newAccount, newOperation } from '../testing/new-operation.ts';
import { seedMerchant } from '../testing/seed-merchant.ts';
import { disableTokens, enableTokens, listEnabledTokens } from '../token/account-tokens.ts';
import { listPayouts } from './list-payouts.ts';
import { loadMerchant } from './load-merchant.ts';
import { mirrorPayout } from './mirror-payout.ts';
import { setPayout } from './set-payout.ts';

const { pool } = await createTestDatabase();
const operation = newOperation(pool);
const address = (byte: string) => `0x${byte.repeat(20)}`;

function terms(feeBps: number, splits: readonly { to: string; bps: number }[] = []): PayoutTerms {
  const result = payoutTerms({ feeBps, splits });
  if (!result.ok) throw new Error(result.code);
  return result.terms;
}

const request = (accountId: string, change: Partial<PayoutRequest> = {}): PayoutRequest => ({
  accountId,
  mode: 'test',
  network: evmNetwork(84_532),
  processor: address('52'),
  merchant: address('66'),
  terms: terms(100),
  status: 'active',
  ...change,
});
const auditOf = async (accountId: string, prefix: string) =>
  (
    await pool.query('select action from svc.audit where account_id = $1 and action like $2 order by action', [
      accountId,
      `${prefix}%`,
    ])
  ).rows.map(({ action }) => action);

test('tokens are enabled and disabled, and only changes are on record', async () => {
  const { id: accountId } = await newAccount(operation);
  const tokens = { accountId, mode: 'test', shortcodes: ['basesepolia_usdc', 'anvil_usdc'] } as const;
  expect(await enableTokens(operation, tokens)).toEqual({ ok: true, changed: ['basesepolia_usdc', 'anvil_usdc'] });
  expect(await enableTokens(operation, tokens)).toEqual({ ok: true, changed: [] });
  expect(await disableTokens(operation, { ...tokens, shortcodes: ['anvil_usdc'] })).toMatchObject({ ok: true });
  expect(await listEnabledTokens(pool, accountId, 'test')).toEqual(new Set(['basesepolia_usdc']));
  expect(await auditOf(accountId, 'token.')).toHaveLength(3);
});

test('one wrong name among many, or a token of the other mode, and nothing is enabled', async () => {
  const { id: accountId } = await newAccount(operation);
  const enable = (...shortcodes: string[]) => enableTokens(operation, { accountId, mode: 'test', shortcodes });
  expect(await enable('anvil_usdc', 'anvil_usd')).toEqual({ ok: false, code: 'token_unknown', shortcode: 'anvil_usd' });
  expect(await enable('anvil_usdc', 'base_usdc')).toMatchObject({ ok: false, code: 'token_of_other_mode' });
  expect(await listEnabledTokens(pool, accountId)).toEqual(new Set());
});

test('the same terms twice are one payout; other terms are another id, which new intents use', async () => {
  const { id } = await newAccount(operation);
  const first = await setPayout(operation, request(id));
  expect(first).toMatchObject({ ok: true, change: 'created' });
  expect(await setPayout(operation, request(id))).toEqual({ ...first, change: 'none' });
  const second = await setPayout({ ...operation, nowMs: operation.nowMs + 1 }, request(id, { terms: terms(200) }));
  const [one, two] = await listPayouts(pool, { accountId: id });
  expect([one?.feeBps, two?.feeBps]).toEqual([100, 200]);
  expect(second).toMatchObject({ ok: true, payout: { payoutId: two?.payoutId } });
  const merchant = await loadMerchant(pool, { accountId: id, keyId: 'key_x' as never, kind: 'secret', mode: 'test' });
  expect(merchant.payouts.at(-1)?.payoutId.toString()).toBe(two?.payoutId);
});

test('where payers pay the merchant, going back to an earlier account makes it the newest again', async () => {
  const { id } = await newAccount(operation);
  const network = parseNetwork('icp:local');
  if (network === undefined) throw new Error('no network');
  const paid = (merchant: string) => ({ network, processor: merchant, merchant, terms: terms(0) });
  for (const [step, merchant] of ['aaa', 'bbb', 'bbb', 'aaa'].entries())
    await setPayout({ ...operation, nowMs: operation.nowMs + step }, request(id, paid(merchant)));
  const { payouts } = await loadMerchant(pool, {
    accountId: id,
    keyId: 'key_x' as never,
    kind: 'secret',
    mode: 'test',
  });
  expect(payouts.map(({ merchant, payoutId }) => [merchant, payoutId])).toEqual([
    ['aaa', 1n],
    ['bbb', 1n],
    ['aaa', 2n],
  ]);
});

test('going back to earlier terms makes them the newest again, under a new id', async () => {
  const { id } = await newAccount(operation);
  for (const [step, feeBps] of [100, 200, 100].entries()) {
    await setPayout({ ...operation, nowMs: operation.nowMs + step }, request(id, { terms: terms(feeBps) }));
  }
  const payouts = await listPayouts(pool, { accountId: id });
  expect(payouts.map(({ feeBps }) => feeBps)).toEqual([100, 200, 100]);
  expect(new Set(payouts.map(({ payoutId }) => payoutId)).size).toBe(3);
});

test('an id keeps its terms and its owner for ever', async () => {
  const { id } = await newAccount(operation);
  const { id: stranger } = await newAccount(operation);
  const named = { payoutId: 4_000n, processor: address('53') };
  expect(await setPayout(operation, request(id, named))).toMatchObject({ ok: true, payout: { payoutId: '4000' } });
  const fixed = { ok: false, code: 'payout_terms_fixed' };
  expect(await setPayout(operation, request(id, { ...named, terms: terms(99) }))).toEqual(fixed);
  expect(await setPayout(operation, request(id, { ...named, merchant: address('67') }))).toEqual(fixed);
  const split = terms(100, [{ to: address('77'), bps: 1 }]);
  expect(await setPayout(operation, request(id, { ...named, terms: split }))).toEqual(fixed);
  expect(await setPayout(operation, request(stranger, named))).toEqual({ ok: false, code: 'payout_of_other_account' });
});

test('a pending payout becomes active under its own id', async () => {
  const { id } = await newAccount(operation);
  const pending = await setPayout(operation, request(id, { status: 'pending' }));
  const active = await setPayout(operation, request(id, { status: 'active' }));
  expect(active).toMatchObject({
    ok: true,
    change: 'status',
    payout: { status: 'active', payoutId: pending.ok && pending.payout.payoutId },
  });
  expect(await auditOf(id, 'payout.')).toEqual(['payout.created', 'payout.status_changed']);
});

test('accounts that set payouts at the same moment get different ids', async () => {
  const processor = address('54');
  const accounts = await Promise.all(Array.from({ length: 6 }, () => newAccount(operation)));
  const set = await Promise.all(accounts.map(({ id }) => setPayout(operation, request(id, { processor }))));
  expect(new Set(set.map((result) => result.ok && result.payout.payoutId)).size).toBe(6);
});

test('a payout whose terms differ from the registry is withdrawn, and comes back when they agree', async () => {
  const caller = await seedMerchant(pool, { tokens: ['basesepolia_usdc'] });
  const intentId = await createTestIntent(pool, caller);
  const [offered] = await loadAcceptances(pool, caller, intentId);
  if (offered === undefined) throw new Error('nothing was offered');
  const payouts = async () => (await loadMerchant(pool, caller)).payouts.map(({ payoutId }) => payoutId);
  expect(await payouts()).toContain(offered.payoutId);
  const registered = (feeBps: number, merchant = `0x${'66'.repeat(20)}`) =>
    mirrorPayout(operation, {
      network: offered.network,
      processor: offered.payTo,
      payoutId: offered.payoutId,
      status: 'active',
      transactionId: null,
      terms: { merchant, feeBps: basisPoints(feeBps), splits: [] },
    });
  const withdrawn = async () => (await loadAcceptances(pool, caller, intentId))[0]?.payoutWithdrawn;

  expect(await registered(100)).toBe('same');
  expect(await withdrawn()).toBeUndefined();
  for (const other of [() => registered(99), () => registered(100, address('67'))]) {
    expect(await other()).toBe('differs');
    expect(await payouts()).not.toContain(offered.payoutId);
    expect(await withdrawn()).toBe(true);
    expect(await other()).toBe('differs');
    expect(await registered(100)).toBe('changed');
    expect(await payouts()).toContain(offered.payoutId);
    expect(await withdrawn()).toBeUndefined();
  }
});
