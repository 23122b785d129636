// Somebody writes anything to the database and has no key. Rows are loaded as API and settlement load them, and checked as
// both check them.
import { randomBytes } from 'node:crypto';
import { type Caller, claimKey, type PayoutActivation, systemClock, TOKENS } from '@svc-pay/core';
import { type CheckActivation, createActivationCheck } from '@svc-pay/evm';
import { activatePayout, type TestActivation } from '@svc-pay/evm/testing';
import { claimPayment, createApiStores, loadAcceptances } from '@svc-pay/postgres';
import { createLaneStore } from '@svc-pay/postgres/settlement-service';
import { createTestDatabase, createTestIntent, seedDirectPayout, seedMerchant } from '@svc-pay/postgres/testing';
import { evmNetwork } from '@svc-pay/protocol';
import { type Id, newId } from '@svc-pay/protocol/ids';
import { beforeEach, expect, test } from 'vitest';

const { pool } = await createTestDatabase();
// A database owner drops what stands in the way.
await pool.query('alter table svc.payouts drop constraint payouts_direct_check');
const network = evmNetwork(31_337);
const USDC = TOKENS.find(({ shortcode }) => shortcode === 'anvil_usdc')!;
const EVIL = `0x${'e1'.repeat(20)}`;
const HOUR_MS = 3_600_000;
const { rows } = await pool.query<{ id: string }>('select id from svc.installation');
const installation = rows[0]!.id;
const stores = createApiStores(
  { pool, url: '', ping: async () => {}, close: async () => {} },
  { clock: systemClock, cacheMs: 0 },
);
const lanes = createLaneStore(pool, { clock: systemClock, gasCoinRate: () => undefined });
const nobody = async () => [];
let number = 0n;

const checkBy = ({ account }: TestActivation['approver'], delayMs = 24 * HOUR_MS): CheckActivation =>
  createActivationCheck({
    installation: async () => installation,
    approvers: new Set([account.address.toLowerCase()]),
    delayMs,
    clock: systemClock,
  });

type World = {
  readonly caller: Caller;
  readonly activation: PayoutActivation;
  readonly check: CheckActivation;
  readonly intentId: Id<'paymentIntent'>;
};
let world: World;

/** A merchant whose direct payout is offered, with an intent that offers it and a payment that is queued for it. */
beforeEach(async () => {
  await pool.query("delete from svc.settlements where status = 'queued'");
  const caller = await seedMerchant(pool, { tokens: ['anvil_usdc'] });
  number += 10n;
  const { accountId } = caller;
  const { activation, approver } = await activatePayout({
    installation,
    accountId,
    network,
    asset: USDC.address.toLowerCase(),
    number,
  });
  await seedDirectPayout(pool, activation);
  const intentId = await createTestIntent(pool, caller);
  await pool.query('update svc.acceptances set pay_to = $2, payout_id = $3 where intent_id = $1', [
    intentId,
    activation.wallet,
    number.toString(),
  ]);
  world = { caller, activation, check: checkBy(approver), intentId };
  await queue();
});

async function queue(): Promise<void> {
  const { caller, intentId } = world;
  const [acceptance] = await loadAcceptances(pool, caller, intentId);
  if (acceptance === undefined) throw new Error('nothing was offered');
  const [payer, nonce] = [randomBytes(20), randomBytes(32)].map((bytes) => `0x${bytes.toString('hex')}`) as [
    string,
    string,
  ];
  const authorization = { from: payer, to: acceptance.payTo, value: acceptance.amount.toString(), nonce };
  const claimed = await claimPayment(pool, {
    caller,
    intentId,
    paymentId: newId('payment', Date.now()),
    claimKey: claimKey({ network, asset: USDC.address, payer, uniquePart: nonce }),
    kind: 'transfer_with_authorization',
    byContract: false,
    acceptance,
    authorization: { ...authorization, validAfter: '1', validBefore: '4000000000' },
    signature: `0x${'1b'.repeat(65)}`,
    direct: { bound: false, atBlock: 1n, used: false },
    nowMs: Date.now(),
  });
  if (claimed.outcome !== 'claimed') throw new Error(claimed.outcome);
  await pool.query('update svc.authorizations set direct = true where intent_id = $1', [intentId]);
}

/** Wallets that a new intent of the account offers. */
async function offered(caller = world.caller): Promise<readonly string[]> {
  const { payouts } = await stores.loadMerchant(caller);
  const wallets: string[] = [];
  for (const { network: on, payoutId, merchant, direct } of payouts) {
    if (direct === undefined || direct.activeFromMs > Date.now()) continue;
    const used = { ...caller, network: on, asset: direct.asset ?? '', wallet: merchant, number: payoutId };
    if ((await world.check(used, direct.activation, nobody)).ok) wallets.push(merchant);
  }
  return wallets;
}

/** Recipients to which a header for the stored acceptance is accepted. */
async function accepted(): Promise<readonly string[]> {
  const { caller, intentId, check } = world;
  const recipients: string[] = [];
  for (const acceptance of await loadAcceptances(pool, caller, intentId)) {
    const { payTo, payoutId, token, direct, payoutWithdrawn } = acceptance;
    if (payoutWithdrawn) continue;
    const used = { ...caller, network: acceptance.network, asset: token.address, wallet: payTo, number: payoutId };
    if (direct === undefined || (await check(used, direct, nobody)).ok) recipients.push(payTo);
  }
  return recipients;
}

/** Recipients of the payments that a lane sends. */
async function sent(): Promise<readonly string[]> {
  const recipients: string[] = [];
  for (const item of await lanes.loadQueue({ network, relayer: EVIL }, { index: 0, count: 1 }, 100)) {
    const { accountId, mode, asset, processor: wallet, payout } = item;
    if (payout.withdrawn) continue;
    const used = { accountId, mode, network, asset, wallet, number: payout.id };
    if (payout.direct === undefined || (await world.check(used, payout.direct, nobody)).ok) recipients.push(wallet);
  }
  return recipients;
}

test('what was signed is offered, accepted and sent', async () => {
  const { wallet } = world.activation;
  expect([await offered(), await accepted(), await sent()]).toEqual([[wallet], [wallet], [wallet]]);
});

const PAYOUT = 'update svc.payouts set';
const everywhere = (change: string) => [
  `${PAYOUT} ${change} where payout_id = $1`,
  `update svc.acceptances set pay_to = '${EVIL}' where payout_id = $1`,
  `update svc.authorizations set recipient = '${EVIL}' where intent_id = (select intent_id from svc.settlements where payout_id = $1)`,
];
const signedToo = (field: string, value: string) => `activation = jsonb_set(activation, '{${field}}', '${value}')`;
test.each<[string, readonly string[]]>([
  ['the wallet', everywhere(`processor = '${EVIL}', merchant = '${EVIL}'`)],
  [
    'the wallet, also in the activation',
    everywhere(`processor = '${EVIL}', merchant = '${EVIL}', ${signedToo('wallet', `"${EVIL}"`)}`),
  ],
  ['the use', [`${PAYOUT} ${signedToo('use', '"shared"')} where payout_id = $1`]],
  ['the approver', [`${PAYOUT} ${signedToo('approver', `"${EVIL}"`)} where payout_id = $1`]],
  ['the time of the signatures', [`${PAYOUT} ${signedToo('signedAtSeconds', '"1"')} where payout_id = $1`]],
  ['a field more', [`${PAYOUT} activation = activation || '{"trust": "me"}' where payout_id = $1`]],
  ['no activation', [`${PAYOUT} activation = null where payout_id = $1`]],
  [
    'the number',
    [
      `${PAYOUT} payout_id = payout_id + 1 where payout_id = $1`,
      'update svc.acceptances set payout_id = payout_id + 1 where payout_id = $1',
      'update svc.settlements set payout_id = payout_id + 1 where payout_id = $1',
    ],
  ],
  [
    'the token',
    [
      `${PAYOUT} asset = '${EVIL}' where payout_id = $1`,
      `update svc.acceptances set asset = '${EVIL}' where payout_id = $1`,
      `update svc.settlements set asset = '${EVIL}' where payout_id = $1`,
    ],
  ],
  ['the mode', [`${PAYOUT} ${signedToo('mode', '"live"')} where payout_id = $1`]],
  [
    'the installation',
    [`${PAYOUT} ${signedToo('installation', '"0a1b2c3d-0000-4000-8000-000000000009"')} where payout_id = $1`],
  ],
])('with %s changed nothing is offered, accepted or sent', async (_, statements) => {
  for (const statement of statements) await pool.query(statement, [number.toString()]);
  expect([await offered(), await accepted(), await sent()]).toEqual([[], [], []]);
});

test('a direct payout that pretends to be a processor’s pays nobody', async () => {
  await pool.query(
    `${PAYOUT} kind = 'processor', activation = null, asset = null, active_from = null where payout_id = $1`,
    [number.toString()],
  );
  expect([await offered(), await sent()]).toEqual([[], []]);
});

test('a payout that is gone or disabled is neither accepted nor sent', async () => {
  await pool.query(`${PAYOUT} status = 'disabled' where payout_id = $1`, [number.toString()]);
  expect([await offered(), await accepted(), await sent()]).toEqual([[], [], []]);
  await pool.query('delete from svc.payouts where payout_id = $1', [number.toString()]);
  expect([await offered(), await accepted(), await sent()]).toEqual([[], [], []]);
});

test('an activation copied to another account or network is good for nothing there', async () => {
  const rival = await seedMerchant(pool, { tokens: ['anvil_usdc'] });
  const copy = async (accountId: string, on: string, by: bigint, change = 'activation') =>
    pool.query(
      `insert into svc.payouts (account_id, mode, network, payout_id, processor, merchant, fee_bps, status, created_at,
         kind, asset, activation, active_from)
       select $2, mode, $3, payout_id + $4, processor, merchant, fee_bps, status, created_at, kind, asset, ${change}, active_from
       from svc.payouts where payout_id = $1 and kind = 'direct' and network = '${network}'`,
      [number.toString(), accountId, on, by.toString()],
    );
  await copy(rival.accountId, network, 1n);
  await copy(rival.accountId, network, 2n, `jsonb_set(activation, '{accountId}', '"${rival.accountId}"')`);
  await copy(world.caller.accountId, 'eip155:84532', 0n);
  await copy(world.caller.accountId, 'eip155:84532', 3n, `jsonb_set(activation, '{network}', '"eip155:84532"')`);
  expect(await offered(rival)).toEqual([]);
  expect(await offered()).toEqual([world.activation.wallet]);
});

test('a change does not come earlier because its row says so', async () => {
  const { activation, caller } = world;
  const signedAtSeconds = BigInt(Math.floor(Date.now() / 1_000) - 60);
  const terms = { installation, accountId: caller.accountId, network, asset: activation.asset };
  const change = { ...terms, number: number + 1n, replaces: activation.wallet, signedAtSeconds };
  // Approved by an operator, so that only its time is missing.
  const { activation: next, approver } = await activatePayout(change);
  await seedDirectPayout(pool, next, { activeFromMs: 0 });
  world = { ...world, check: checkBy(approver) };
  expect(await offered()).not.toContain(next.wallet);
  world = { ...world, check: checkBy(approver, 0) };
  expect(await offered()).toContain(next.wallet);
});
