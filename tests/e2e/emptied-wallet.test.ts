import { expect, test } from 'vitest';
import { ledgerCheck } from './ledger-check.ts';
import { paymentStatuses, prepareMany, richPayers, settleAll, waitFor } from './many-payments.ts';
import { startWorld } from './start-world.ts';
import { settle, signHeader } from './wallet.ts';

const PAYMENTS = 40;

test('a wallet emptied after verification fails alone, and what it signed is watched until its end', async () => {
  const world = await startWorld({ api: { SVC_SETTLE_WAIT_MS: '0' } });
  const { chain, database } = world;
  const payers = await richPayers(world, PAYMENTS);
  const [poor, rich] = payers;
  if (poor === undefined || rich === undefined) throw new Error('no payers');
  const calls = await prepareMany(world, payers, PAYMENTS);
  const [call] = calls;
  if (call === undefined) throw new Error('no call');
  await world.settlement.kill('SIGKILL');
  const queued = await settleAll(world, calls);
  expect(new Set(queued.map(({ status }) => status))).toEqual(new Set(['processing']));
  await chain.emptyWallet(chain.tokens.usdc, poor.address);
  await world.settlement.start();

  await waitFor(async () => (await paymentStatuses(world))['pending'] === undefined, 30, 'everything ended');
  expect(await paymentStatuses(world)).toEqual({ completed: PAYMENTS - 1, failed: 1 });
  expect(await settle(world, call)).toMatchObject({
    status: 'failed',
    error: 'insufficient_funds',
    transactionId: null,
    paymentIntent: { status: 'requires_payment' },
  });

  const isWatched = async () => {
    const { rows } = await database.pool.query(
      'select closed_at from svc.authorizations where intent_id = $1 and payer = $2',
      [call.paymentIntentId, poor.address.toLowerCase()],
    );
    return rows[0].closed_at === null;
  };
  expect(await isWatched()).toBe(true);
  const again = { ...call, paymentHeader: await signHeader(rich, call.paymentRequirements) };
  await settle(world, again);
  await waitFor(async () => (await settle(world, again)).status === 'succeeded', 30, 'paid by another');
  expect(await isWatched()).toBe(true);
  await chain.advance(3_600);
  await waitFor(async () => !(await isWatched()), 30, 'closed once a final block is past its last second');
  expect(await ledgerCheck(world)).toMatchObject({ exitCode: 0 });
});
