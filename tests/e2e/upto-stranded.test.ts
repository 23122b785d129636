// A third party submits the authorization of an up-to intent, and the money is stranded at the processor until the
// merchant acts: on settle the payer gets the rest back, on release all of it.
import type { Address } from 'viem';
import { afterAll, expect, test } from 'vitest';
import { ledgerCheck } from './ledger-check.ts';
import { richPayers, waitFor } from './many-payments.ts';
import { startWorld } from './start-world.ts';
import { submitDirectly } from './stranger.ts';
import { confirm, prepareUpto, release, settleUpto } from './upto-calls.ts';
import type { Payer } from './wallet.ts';

const world = await startWorld({ api: { SVC_SETTLE_WAIT_MS: '0' } });
const { pool } = world.database;
const CAP = 5_000_000n;
const SETTLED = 2_000_000n;

afterAll(async () => {
  expect(await ledgerCheck(world)).toMatchObject({ exitCode: 0 });
});

const usdcOf = (owner: Address) => world.chain.balanceOf(world.chain.tokens.usdc, owner);
const actionOf = async (intentId: string) =>
  (
    await pool.query<{ action: string; status: string }>(
      'select action, status from svc.stranded_transfers where intent_id = $1',
      [intentId],
    )
  ).rows[0];
const entriesOf = async (intentId: string) =>
  (
    await pool.query<{ line: string }>(
      `select e.account_name || ' ' || e.amount as line from svc.ledger_entries e
       join svc.payments p on p.id = e.payment_id where p.intent_id = $1 and e.asset <> 'native'`,
      [intentId],
    )
  ).rows
    .map(({ line }) => line)
    .sort();

/** Creates a confirmed cap that a third party submitted and that is recorded as stranded. */
async function strandedCap() {
  const [payer] = (await richPayers(world, 1)) as [Payer];
  const before = await usdcOf(payer.address);
  const call = await prepareUpto(world, payer, { capAtomic: CAP });
  expect((await confirm(world, call)).body.ok).toBe(true);
  await submitDirectly(world, call);
  await waitFor(async () => (await actionOf(call.paymentIntentId))?.action === 'hold', 30, 'held');
  expect(await usdcOf(payer.address)).toBe(before - CAP);
  return { payer, before, intentId: call.paymentIntentId };
}

test('the merchant settles: the payment completes from the stranded money, and the rest goes back', async () => {
  const { payer, before, intentId } = await strandedCap();
  await settleUpto(world, { paymentIntentId: intentId, settledAmount: SETTLED.toString() });
  const settled = () => settleUpto(world, { paymentIntentId: intentId, settledAmount: SETTLED.toString() });
  await waitFor(async () => (await settled()).body.status === 'succeeded', 40, 'settled');
  expect((await settled()).body).toMatchObject({
    settledAmount: SETTLED.toString(),
    refundAmount: (CAP - SETTLED).toString(),
    intentStatus: 'completed',
  });
  expect(await usdcOf(payer.address)).toBe(before - SETTLED);
  expect(await actionOf(intentId)).toEqual({ action: 'settle', status: 'done' });
  expect(await usdcOf(world.chain.record.processor)).toBe(0n);
});

test('the merchant releases: all of it goes back to the payer, booked under a payment that was never made', async () => {
  const { payer, before, intentId } = await strandedCap();
  expect((await release(world, intentId)).httpStatus).toBe(200);
  await waitFor(async () => (await actionOf(intentId))?.status === 'done', 40, 'returned');
  expect(await usdcOf(payer.address)).toBe(before);
  expect(await actionOf(intentId)).toEqual({ action: 'return', status: 'done' });
  expect(await entriesOf(intentId)).toEqual(
    [`payer -${CAP}`, `refund ${CAP}`, `stranded ${CAP}`, `stranded -${CAP}`].sort(),
  );
  const { rows } = await pool.query('select status, payment_id from svc.intents where id = $1', [intentId]);
  expect(rows).toEqual([{ status: 'canceled', payment_id: null }]);
});
