// Obstacles that stop a lane. Each time: no payment fails that could still be paid, the network is withdrawn and
// offered again without help, and every payment gets its true result.
import { afterAll, expect, test } from 'vitest';
import { chainTrouble } from './chain-trouble.ts';
import { ledgerCheck } from './ledger-check.ts';
import { prepareMany, richPayers, settleAll, waitFor } from './many-payments.ts';
import { startWorld } from './start-world.ts';
import type { SettleCall } from './wallet.ts';

const world = await startWorld({
  blockTimeSeconds: 1,
  api: { SVC_SETTLE_WAIT_MS: '0' },
  settlement: { SVC_SETTLEMENT_RESEND_MS: '500', SVC_SETTLEMENT_BUMP_MS: '3000' },
});
const trouble = chainTrouble(world);
const { pool } = world.database;

const prepareSome = async (count: number) => prepareMany(world, await richPayers(world, count), count);
const statusesOf = async (calls: readonly SettleCall[]): Promise<readonly string[]> => {
  const { rows } = await pool.query<{ status: string }>(
    'select distinct p.status from svc.payments p where p.intent_id = any ($1) order by 1',
    [calls.map(({ paymentIntentId }) => paymentIntentId)],
  );
  return rows.map(({ status }) => status);
};
const allCompleted = (calls: readonly SettleCall[], seconds = 40) =>
  waitFor(async () => (await statusesOf(calls)).join() === 'completed', seconds, 'completed');
const inPool = () => waitFor(async () => (await trouble.pending()).length > 0, 20, 'in the pool');
const isOffered = async () => {
  const response = await fetch(`${world.apiUrl}/sdk/public/payments/intents/x402`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.shop.publishableKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ usdAmount: '1.5', tokenShortcode: 'anvil_usdc' }),
  });
  if (response.status === 402) return true;
  expect(await response.json()).toMatchObject({ error: 'x402_temporarily_unavailable' });
  return false;
};
const offered = () => waitFor(isOffered, 15, 'offered');
const withdrawn = () => waitFor(async () => !(await isOffered()), 15, 'withdrawn');
const eventsOf = async ({ paymentIntentId }: SettleCall) =>
  (
    await pool.query<{ type: string }>('select type from svc.events where intent_id = $1 order by sequence', [
      paymentIntentId,
    ])
  ).rows.map(({ type }) => type);
const PAID = ['payment_intent.created', 'payment.created', 'payment.completed'];

afterAll(async () => {
  expect(await ledgerCheck(world)).toMatchObject({ exitCode: 0 });
});

test('a relayer without coins: nothing fails, the network is withdrawn, and a top-up brings both back', async () => {
  await offered();
  const calls = await prepareSome(5);
  const address = trouble.relayer;
  const value = await trouble.node.getBalance({ address });
  await trouble.node.setBalance({ address, value: 1n });
  await settleAll(world, calls);
  await withdrawn();
  expect(await statusesOf(calls)).toEqual(['pending']);
  const lanes = await fetch(`${world.internalUrl}/lanes`, {
    headers: { authorization: `Bearer ${world.internalKey}` },
  });
  expect(await lanes.json()).toMatchObject({
    lanes: expect.arrayContaining([expect.objectContaining({ duty: 'settle', condition: 'empty', balance: '1' })]),
    networks: [{ offered: false, reason: 'out_of_gas' }],
  });
  const metrics = await (await fetch(`${world.internalUrl}/metrics`)).text();
  expect(metrics).toContain(`network_withdrawn{network="${world.chain.network}",reason="out_of_gas"} 1`);
  expect(metrics).toContain(`lanes{network="${world.chain.network}",duty="settle",condition="empty"} 1`);
  expect(metrics).toContain(`settlement_waiting{network="${world.chain.network}",stage="queued"} 5`);
  await trouble.node.setBalance({ address, value });
  await allCompleted(calls);
  await offered();
  expect(await eventsOf(calls[0]!)).toEqual(PAID);
});

test('a transaction that the pool dropped is offered again as it was', async () => {
  const calls = await prepareSome(3);
  await trouble.stopMining();
  await settleAll(world, calls);
  await inPool();
  for (const hash of await trouble.pending()) await trouble.node.dropTransaction({ hash });
  await trouble.startMining();
  await allCompleted(calls);
});

test('a transaction that is too cheap for the block is followed by a dearer one, and one of them is mined', async () => {
  const calls = await prepareSome(2);
  await trouble.stopMining();
  await settleAll(world, calls);
  await inPool();
  // Four times what the transaction offers: the base fee falls by an eighth per block, so the bump after 3 s comes first.
  const offers = await Promise.all((await trouble.pending()).map((hash) => trouble.node.getTransaction({ hash })));
  const dearest = offers
    .map(({ maxFeePerGas }) => maxFeePerGas ?? 0n)
    .reduce((one, other) => (one > other ? one : other));
  await trouble.node.setNextBlockBaseFeePerGas({ baseFeePerGas: dearest * 4n });
  await trouble.startMining();
  await allCompleted(calls);
  const { rows } = await pool.query(
    `select count(*)::integer as sent from svc.batch_transactions t join svc.settlements s on s.batch_id = t.batch_id
     where s.intent_id = any ($1) group by s.intent_id`,
    [calls.map(({ paymentIntentId }) => paymentIntentId)],
  );
  // The second payment may be signed only after the fee has risen.
  expect(Math.max(...rows.map(({ sent }) => sent as number))).toBeGreaterThan(1);
});

test('a nonce that the same key used elsewhere: the payments go again under the next one', async () => {
  const calls = await prepareSome(3);
  await trouble.stopMining();
  await settleAll(world, calls);
  await inPool();
  await trouble.useNonceElsewhere();
  await trouble.startMining();
  await allCompleted(calls);
  expect((await pool.query("select from svc.batches where status = 'replaced'")).rowCount).toBe(1);
  // Its first transaction can never be mined, another one carries it.
  const types = await eventsOf(calls[0]!);
  expect(types.filter((type) => type !== 'payment.updated')).toEqual(PAID);
  expect(types.filter((type) => type === 'payment.updated').length).toBeGreaterThanOrEqual(2);
});

test('a batch that reverts as a whole while the processor is paused goes again when it is not', async () => {
  const calls = await prepareSome(4);
  const later = await prepareSome(2);
  await trouble.stopMining();
  await settleAll(world, calls);
  await inPool();
  await trouble.pauseFirst();
  await trouble.startMining();
  await withdrawn();
  await settleAll(world, later);
  const reverted = async () =>
    (await pool.query("select from svc.settlements where status = 'queued' and batch_limit = 2")).rowCount === 4;
  await waitFor(reverted, 30, 'reverted and queued again');
  expect(await statusesOf([...calls, ...later])).toEqual(['pending']);
  await trouble.unpause();
  await allCompleted([...calls, ...later]);
  await offered();
  expect(await eventsOf(later[0]!)).toEqual(PAID);
});
