// Statuses after a payment was completed, failed or held: third parties and cancellations. Without any help every
// status becomes correct, and the ledger stays consistent. For reorgs see reorg.test.ts.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ends,
  entriesOf,
  eventsOf,
  NO_WAIT,
  onePayer,
  PRICE,
  queuedWithoutSettlement,
  usdcOf,
} from './follow-payment.ts';
import { ledgerCheck } from './ledger-check.ts';
import { waitFor } from './many-payments.ts';
import { startWorld, type World } from './start-world.ts';
import { cancelAuthorization, nodeOf, submitDirectly } from './stranger.ts';
import { prepare, settle } from './wallet.ts';

describe('around the service', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld(NO_WAIT);
  });
  afterAll(() => world.stop());

  test('a payment that a stranger submitted first completes by itself', async () => {
    const payer = await onePayer(world);
    const merchantBefore = await usdcOf(world, world.shop.merchant);
    const call = await queuedWithoutSettlement(world, payer);
    const stolen = await submitDirectly(world, call);
    await world.settlement.start();
    await ends(world, call, 'succeeded');
    const settled = await settle(world, call);
    expect(settled.transactionId).not.toBe(stolen);
    expect(settled.payment).toMatchObject({ status: 'completed', paidAmount: PRICE.toString() });
    expect(await usdcOf(world, payer.address)).toBe(PRICE * 999n);
    expect((await usdcOf(world, world.shop.merchant)) - merchantBefore).toBe(1_330_050n);
    expect(await usdcOf(world, world.chain.record.processor)).toBe(0n);
    expect((await eventsOf(world, call)).map(({ type }) => type)).toEqual([
      'payment_intent.created',
      'payment.created',
      'payment.completed',
    ]);
    expect(await entriesOf(world, call)).toEqual(
      [
        'payer -1500000',
        'stranded 1500000',
        'stranded -1500000',
        'merchant 1330050',
        'split 150000',
        'split 4950',
        'platform_fee 15000',
      ].sort(),
    );
    expect(await ledgerCheck(world)).toMatchObject({ exitCode: 0 });
  });

  test('money that arrives for a payment we called failed goes back whole, and the payment stays failed', async () => {
    const payer = await onePayer(world);
    const call = await queuedWithoutSettlement(world, payer);
    await world.chain.emptyWallet(world.chain.tokens.usdc, payer.address);
    await world.settlement.start();
    await ends(world, call, 'failed');
    await world.chain.mint(world.chain.tokens.usdc, payer.address, PRICE);
    await submitDirectly(world, call);
    expect(await usdcOf(world, payer.address)).toBe(0n);
    await waitFor(async () => (await usdcOf(world, payer.address)) === PRICE, 40, 'returned');
    await waitFor(async () => (await entriesOf(world, call)).length === 4, 20, 'booked');
    expect(await settle(world, call)).toMatchObject({ status: 'failed', error: 'insufficient_funds' });
    expect(await entriesOf(world, call)).toEqual(
      ['payer -1500000', 'stranded 1500000', 'stranded -1500000', 'refund 1500000'].sort(),
    );
    expect(await usdcOf(world, world.chain.record.processor)).toBe(0n);
    expect(await ledgerCheck(world)).toMatchObject({ exitCode: 0 });
  });

  test('an authorization that its payer canceled fails by name, and nothing moved', async () => {
    const payer = await onePayer(world);
    const call = await queuedWithoutSettlement(world, payer);
    await cancelAuthorization(world, payer.signer, call);
    await world.settlement.start();
    await ends(world, call, 'failed');
    expect(await settle(world, call)).toMatchObject({ status: 'failed', error: 'authorization_already_used' });
    expect(await usdcOf(world, payer.address)).toBe(PRICE * 1_000n);
    expect(await entriesOf(world, call)).toEqual([]);
  });

  test('a payment whose transaction a stranger overtook completes by itself', async () => {
    const node = nodeOf(world);
    const payer = await onePayer(world);
    const call = await prepare(world, payer);
    await node.mineEvery(60);
    await settle(world, call);
    await waitFor(async () => Object.keys(await node.pending()).length > 0, 20, 'sent');
    const overtaking = submitDirectly(world, call, 50_000_000_000n);
    await waitFor(async () => Object.keys(await node.pending()).length > 1, 20, 'overtaken');
    await node.mineEvery(1);
    await overtaking;
    await ends(world, call, 'succeeded');
    expect(await usdcOf(world, payer.address)).toBe(PRICE * 999n);
    expect((await entriesOf(world, call)).filter((line) => line.startsWith('stranded'))).toHaveLength(2);
    expect(await ledgerCheck(world)).toMatchObject({ exitCode: 0 });
  });

  test('a lie about stranded money is found', async () => {
    const { pool } = world.database;
    expect(await ledgerCheck(world)).toMatchObject({ exitCode: 0 });
    const { rows } = await pool.query<{ stranded_transaction_id: string; claim_key: Buffer }>(
      "select claim_key, stranded_transaction_id from svc.stranded_transfers where action = 'return'",
    );
    const change = (transactionId: string | undefined) =>
      pool.query('update svc.stranded_transfers set stranded_transaction_id = $1 where claim_key = $2', [
        transactionId,
        rows[0]?.claim_key,
      ]);
    await change(`0x${'ab'.repeat(32)}`);
    expect(await ledgerCheck(world)).toMatchObject({ exitCode: 1, output: expect.stringContaining('stranded') });
    await change(rows[0]?.stranded_transaction_id);
    await pool.query("delete from svc.stranded_transfers where action = 'return'");
    expect(await ledgerCheck(world)).toMatchObject({ exitCode: 1 });
  });
});
