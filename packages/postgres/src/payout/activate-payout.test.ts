import type { ActivationNotice, PayoutActivation } from '@svc-pay/core';
import { sampleActivation } from '@svc-pay/core/testing';
import { expect, test } from 'vitest';
import { loadInstallationId } from '../database/load-installation.ts';
import { listProcessors } from '../ledger/read-batches.ts';
import { createTestDatabase } from '../testing/create-test-database.ts';
import { newAccount, newOperation } from '../testing/new-operation.ts';
import { activatePayout } from './activate-payout.ts';
import { loadActivationFacts } from './activation-facts.ts';
import { announceActivations } from './announce-activations.ts';
import { disablePayout } from './disable-payout.ts';
import { listPayouts } from './list-payouts.ts';
import { loadMerchant } from './load-merchant.ts';
import { mirrorPayout } from './mirror-payout.ts';
import { createPayoutRegistryStore } from './payout-registry-store.ts';

const { pool } = await createTestDatabase();
const operation = newOperation(pool);
const { nowMs } = operation;
const HOUR_MS = 3_600_000;
const DELAY = { delayMs: 24 * HOUR_MS };
const installation = await loadInstallationId(pool);
let lastWallet = 0;
const newWallet = () => `0x${(++lastWallet).toString(16).padStart(40, 'b')}`;

/** The next activation of an account, as the command prepares it. */
async function nextOf(accountId: string, change: Partial<PayoutActivation> = {}): Promise<PayoutActivation> {
  const wanted = sampleActivation({ installation, accountId, wallet: newWallet(), ...change });
  const { newest, highestNumber } = await loadActivationFacts(pool, wanted, { nowMs, ...DELAY });
  return {
    ...wanted,
    number: highestNumber + 1n,
    replaces: newest?.activation.wallet ?? null,
    signedAtSeconds: BigInt(nowMs / 1_000),
    ...change,
  };
}

const activate = (activation: PayoutActivation, laterMs = 0) =>
  activatePayout({ ...operation, nowMs: nowMs + laterMs }, activation, DELAY);
const merchantOf = async (accountId: string) =>
  (await loadMerchant(pool, { accountId: accountId as never, keyId: 'key_x' as never, kind: 'secret', mode: 'test' }))
    .payouts;

test('an activation is written once, read back whole, listed and on record', async () => {
  const { id } = await newAccount(operation);
  const activation = await nextOf(id);
  const activated = await activate(activation);
  expect(activated).toMatchObject({ ok: true, change: 'created', payout: { direct: { use: 'exclusive' } } });
  expect(await activate(activation)).toEqual({ ...activated, change: 'none' });
  expect(await merchantOf(id)).toMatchObject([
    {
      network: activation.network,
      payoutId: activation.number,
      processor: activation.wallet,
      merchant: activation.wallet,
      feeBps: 0,
      splits: [],
      direct: { asset: activation.asset, activation, activeFromMs: nowMs, readable: false },
    },
  ]);
  expect(await listPayouts(pool, { accountId: id })).toMatchObject([
    { merchant: activation.wallet, direct: { asset: activation.asset, approver: activation.approver } },
  ]);
  const { rows } = await pool.query(
    "select action, target from svc.audit where account_id = $1 and action ~ '^payout'",
    [id],
  );
  expect(rows).toEqual([
    { action: 'payout.activated', target: `${activation.network}/${activation.wallet}/${activation.number}` },
  ]);
});

test('a change waits for its time, and can be ended', async () => {
  const { id } = await newAccount(operation);
  const first = await nextOf(id);
  await activate(first);
  const second = await nextOf(id, { approver: first.wallet, replaced: first });
  expect(await activate(second)).toMatchObject({ ok: true, change: 'created' });
  expect((await merchantOf(id)).map(({ direct }) => direct?.activeFromMs)).toEqual([nowMs, nowMs + DELAY.delayMs]);
  const third = await nextOf(id, { replaces: second.wallet });
  expect(await activate(third)).toEqual({ ok: false, code: 'activation_change_pending' });

  const named = { accountId: id, network: second.network, payoutId: second.number };
  expect(await disablePayout(operation, named)).toMatchObject({ ok: true, change: 'status' });
  expect(await disablePayout(operation, named)).toMatchObject({ ok: true, change: 'none' });
  expect((await merchantOf(id)).map(({ payoutId }) => payoutId)).toEqual([first.number]);
  expect(await activate(await nextOf(id))).toMatchObject({ ok: true });
});

test('when the wallet in use is disabled, none that it replaced comes back; going back takes a new activation', async () => {
  const { id } = await newAccount(operation);
  const [first, other] = [await nextOf(id), await nextOf(id, { asset: `0x${'ee'.repeat(20)}` })];
  await activate(first);
  await activate({ ...other, number: first.number + 1n });
  const second = await nextOf(id, { approver: first.wallet, replaced: first });
  await activate(second);
  const later = { ...operation, nowMs: nowMs + DELAY.delayMs };
  const named = { accountId: id, network: second.network, payoutId: second.number };
  expect(await disablePayout(later, named)).toMatchObject({
    change: 'status',
    payouts: [
      { merchant: second.wallet, status: 'disabled' },
      { merchant: first.wallet, status: 'disabled' },
    ],
  });
  expect((await merchantOf(id)).map(({ merchant }) => merchant)).toEqual([other.wallet]);
  const { rows } = await pool.query(
    "select target from svc.audit where account_id = $1 and action = 'payout.disabled'",
    [id],
  );
  expect(rows).toHaveLength(2);
  const back = await nextOf(id, { wallet: first.wallet });
  expect(back.replaces).toBeNull();
  expect(await activate(back)).toMatchObject({ ok: true, change: 'created' });
});

test('every activation is told of once, by whichever process; again only if the process ended while it told', async () => {
  await announceActivations(pool, () => {}, nowMs);
  const { id } = await newAccount(operation);
  const first = await nextOf(id);
  await activate(first);
  const failing = announceActivations(
    pool,
    () => {
      throw new Error('the process ended');
    },
    nowMs,
  );
  await expect(failing).rejects.toThrow('the process ended');
  const told: ActivationNotice[] = [];
  const announce = (laterMs = 0) => announceActivations(pool, (notice) => told.push(notice), nowMs + laterMs);
  await Promise.all([announce(), announce(), announce()]);
  const second = await nextOf(id, { approver: first.wallet, replaced: first });
  await activate(second);
  // Settlement was down during the whole delay.
  await announce(2 * DELAY.delayMs);
  await announce(3 * DELAY.delayMs);
  const named = { accountId: id, network: first.network };
  expect(told).toEqual([
    { ...named, payoutId: `${first.number}`, wallet: first.wallet, activeFrom: new Date(nowMs).toISOString() },
    {
      ...named,
      payoutId: `${second.number}`,
      wallet: second.wallet,
      activeFrom: new Date(nowMs + DELAY.delayMs).toISOString(),
    },
  ]);
});

test('accounts that activate at the same moment get different numbers', async () => {
  const accounts = await Promise.all(Array.from({ length: 4 }, () => newAccount(operation)));
  const signed = await Promise.all(accounts.map(({ id }) => nextOf(id)));
  const results = await Promise.all(signed.map((activation) => activate(activation)));
  expect(results.filter(({ ok }) => ok)).toHaveLength(1);
  const codes = results.flatMap((result) => (result.ok ? [] : [result.code]));
  expect(codes).toEqual(['activation_number', 'activation_number', 'activation_number']);
});

test('an exclusive wallet is one account’s, and one that was ended is free', async () => {
  const { id } = await newAccount(operation);
  const { id: rival } = await newAccount(operation);
  const own = await nextOf(id);
  await activate(own);
  for (const use of ['exclusive', 'shared'] as const) {
    const taken = await nextOf(rival, { wallet: own.wallet, use });
    expect(await activate(taken)).toEqual({ ok: false, code: 'wallet_in_use' });
  }
  await disablePayout(operation, { accountId: id, network: own.network, payoutId: own.number });
  expect(await activate(await nextOf(rival, { wallet: own.wallet }))).toMatchObject({ ok: true });
});

test('no such account, or a closed one, gets no payout', async () => {
  expect(await activate(await nextOf('acct_nobody'))).toEqual({ ok: false, code: 'account_unknown' });
});

test('the registry of a processor and the list of processors know nothing of direct payouts', async () => {
  const { id } = await newAccount(operation);
  const { network, wallet, number, ...rest } = await nextOf(id);
  await activate({ network, wallet, number, ...rest });
  const store = createPayoutRegistryStore(pool, 'service:test');
  for (const which of ['all', 'uncompared', [number]] as const) {
    expect(await store.loadPayoutsToMirror({ network, processor: wallet }, which, -1n, 10)).toEqual([]);
  }
  const registered = { network, processor: wallet, payoutId: number, transactionId: null };
  expect(await mirrorPayout(operation, { ...registered, status: 'disabled' })).toBe('unknown');
  expect(await merchantOf(id)).toHaveLength(1);
  expect(await listProcessors(pool, network)).not.toContain(wallet);
});

test.each<[string, string]>([
  ['an activation that is none', `activation = '{}'`],
  ['an activation with one field more', `activation = activation || '{"more": 1}'`],
  ['the kind of a processor', `kind = 'processor', activation = activation`],
])('%s in a row stays a direct payout that can’t be read, and is never left out', async (_, change) => {
  const { id } = await newAccount(operation);
  const activation = await nextOf(id);
  await activate(activation);
  await pool.query('alter table svc.payouts drop constraint if exists payouts_direct_check');
  await pool.query(`update svc.payouts set ${change} where account_id = $1`, [id]);
  expect(await merchantOf(id)).toMatchObject([
    { payoutId: activation.number, direct: { activation: undefined, asset: activation.asset } },
  ]);
});
