// Separate processes, and somebody who changes rows of a direct payout between them: the API does not offer what settlement
// would not send, and settlement does not send what the API took before the row changed.
import { beforeEach, expect, test } from 'vitest';
import {
  type DirectShop,
  openDirectShop,
  paymentsOf,
  prepareDirect,
  readerHasToken,
  settleDirect,
} from './direct-shop.ts';
import { NO_WAIT, onePayer, PRICE, usdcOf } from './follow-payment.ts';
import { waitFor } from './many-payments.ts';
import { startWorld } from './start-world.ts';
import { createIntent, post, signHeader } from './wallet.ts';

const EVIL = `0x${'e1'.repeat(20)}` as const;

const world = await startWorld(NO_WAIT);
const { database, settlement, apiUrl } = world;
let shop: DirectShop;

beforeEach(async () => {
  shop = await openDirectShop(world, 'shared');
  await readerHasToken(world);
});

const change = (assignments: string) =>
  database.pool.query(`update svc.payouts set ${assignments} where account_id = $1 and kind = 'direct'`, [
    shop.accountId,
  ]);
const used = (use: string) => change(`activation = jsonb_set(activation, '{use}', '"${use}"')`);
const refusals = () => settlement.output().split('payout_activation_refused').length - 1;
const WANTED = { usdAmount: '1.5', tokenShortcode: 'anvil_usdc' };
const created = async () =>
  (await post(`${apiUrl}/sdk/public/payments/intents/x402`, shop.publishableKey, WANTED)).json();
/** The shop has no other payout that takes an exact payment. */
const NOTHING_OFFERED = { status: 'failed', error: 'x402_temporarily_unavailable', accepts: [] };
const isDeferred = async () => {
  const { rowCount } = await database.pool.query(
    'select from svc.settlements where account_id = $1 and retry_at is not null',
    [shop.accountId],
  );
  return rowCount === 1;
};
const logged = (times: number) =>
  waitFor(async () => refusals() >= times, 30, `settlement refuses the activation ${times} times`);

test('a row that changes after the claim sends nothing; put back, the payment is made once', async () => {
  const honest = await openDirectShop(world, 'shared');
  const call = await prepareDirect(world, shop, await onePayer(world), 'bound');
  await settlement.kill('SIGKILL');
  expect((await settleDirect(world, call)).status).toBe('processing');

  await used('exclusive');
  await settlement.start();
  await logged(1);
  // The lane took it up, put it off, and goes on with the others.
  await waitFor(isDeferred, 20, 'deferred by the lane');
  const other = await prepareDirect(world, honest, await onePayer(world), 'bound');
  await waitFor(async () => (await settleDirect(world, other)).status === 'succeeded', 20, 'another payment completed');
  expect(await usdcOf(world, shop.wallet)).toBe(0n);
  expect(await paymentsOf(world, call)).toMatchObject([{ status: 'pending', settlement: 'queued', proofs: 0 }]);
  expect(await created()).toMatchObject(NOTHING_OFFERED);

  await used('shared');
  await database.pool.query('update svc.settlements set retry_at = null where retry_at is not null');
  await waitFor(async () => (await usdcOf(world, shop.wallet)) === PRICE, 40, 'the payment is made');
  await waitFor(async () => (await settleDirect(world, call)).status === 'succeeded', 40, 'it is completed');
  expect(await paymentsOf(world, call)).toMatchObject([{ status: 'completed', proofs: 1 }]);
});

test('a payer who was shown the wallet of somebody else is refused, and that wallet is not offered', async () => {
  const { paymentIntentId, accepts } = await createIntent({ apiUrl, shop });
  const acceptance = accepts.find(({ payTo }) => payTo.toLowerCase() === shop.wallet);
  if (acceptance === undefined) throw new Error('the wallet is not offered');
  await change(
    `processor = '${EVIL}', merchant = '${EVIL}', activation = jsonb_set(activation, '{wallet}', '"${EVIL}"')`,
  );
  await database.pool.query('update svc.acceptances set pay_to = $2 where intent_id = $1', [paymentIntentId, EVIL]);
  const forged = { ...acceptance, payTo: EVIL };
  const paymentHeader = await signHeader(await onePayer(world), forged);
  const call = { paymentIntentId, paymentHeader, paymentRequirements: forged, shop };
  expect(await settleDirect(world, call)).not.toMatchObject({ status: expect.stringMatching(/processing|succeeded/) });
  expect(await paymentsOf(world, call)).toEqual([]);
  expect(world.api.output()).toContain('payout_activation_refused');
  // The API keeps an account's payouts for a moment.
  const isRead = async () =>
    !JSON.stringify(await created())
      .toLowerCase()
      .includes(shop.wallet);
  await waitFor(isRead, 10, 'offered by the changed row');
  expect(await created()).toMatchObject(NOTHING_OFFERED);
});
