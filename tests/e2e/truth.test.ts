// The truth after a payment was called completed, failed or held: strangers, cancellations and chains that change their
// mind. Nobody does anything; every status becomes right by itself, and the books hold.
import type { Address, Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ledgerCheck } from './ledger-check.ts';
import { richPayers, waitFor } from './many-payments.ts';
import { startWorld, type World } from './start-world.ts';
import { cancelAuthorization, nodeOf, submitDirectly } from './stranger.ts';
import { type Payer, prepare, type SettleCall, settle } from './wallet.ts';

const PRICE = 1_500_000n;
const NO_WAIT = { api: { SVC_SETTLE_WAIT_MS: '0' } };

const usdcOf = ({ chain }: World, owner: Address) => chain.balanceOf(chain.tokens.usdc, owner);

async function eventsOf({ database }: World, { paymentIntentId }: SettleCall) {
  const { rows } = await database.pool.query<{ type: string; body: Buffer }>(
    'select type, body from svc.events where intent_id = $1 order by sequence',
    [paymentIntentId],
  );
  return rows.map(({ type, body }) => ({
    type,
    data: (JSON.parse(body.toString()) as { data: { object: Record<string, unknown>; previous_attributes?: object } })
      .data,
  }));
}

async function entriesOf({ database }: World, { paymentIntentId }: SettleCall) {
  const { rows } = await database.pool.query<{ line: string }>(
    `select e.account_name || ' ' || e.amount as line from svc.ledger_entries e
     join svc.payments p on p.id = e.payment_id where p.intent_id = $1 and e.asset <> 'native' order by e.id`,
    [paymentIntentId],
  );
  return rows.map(({ line }) => line).sort();
}

async function onePayer(world: World): Promise<Payer> {
  const [payer] = await richPayers(world, 1);
  if (payer === undefined) throw new Error('no payer');
  return payer;
}

/** Claimed and queued, while nobody is there to settle it. */
async function queuedWithoutSettlement(world: World, payer: Payer): Promise<SettleCall> {
  const call = await prepare(world, payer);
  await world.settlement.kill('SIGKILL');
  expect((await settle(world, call)).status).toBe('processing');
  return call;
}

const ends = (world: World, call: SettleCall, status: string) =>
  waitFor(async () => (await settle(world, call)).status === status, 40, status);

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

  test('a lie about recovered money is found', async () => {
    const { pool } = world.database;
    expect(await ledgerCheck(world)).toMatchObject({ exitCode: 0 });
    const { rows } = await pool.query<{ stranded_transaction_id: string; claim_key: Buffer }>(
      "select claim_key, stranded_transaction_id from svc.recoveries where deed = 'return'",
    );
    const change = (transactionId: string | undefined) =>
      pool.query('update svc.recoveries set stranded_transaction_id = $1 where claim_key = $2', [
        transactionId,
        rows[0]?.claim_key,
      ]);
    await change(`0x${'ab'.repeat(32)}`);
    expect(await ledgerCheck(world)).toMatchObject({ exitCode: 1, output: expect.stringContaining('stranded') });
    await change(rows[0]?.stranded_transaction_id);
    await pool.query("delete from svc.recoveries where deed = 'return'");
    expect(await ledgerCheck(world)).toMatchObject({ exitCode: 1 });
  });
});

describe('a chain that changes its mind', () => {
  let world: World;
  beforeAll(async () => {
    // Final after 64 blocks: there is time to reorganise before.
    const network = { confirmations: [{ fromUsd: '100', blocks: 5 }] };
    world = await startWorld({ ...NO_WAIT, network, blockTimeSeconds: 0.2, slotsInAnEpoch: 32 });
  });
  afterAll(() => world.stop());

  test.each([1, 3])('a reorganisation of %i blocks takes the payment back, and it settles again', async (depth) => {
    const node = nodeOf(world);
    const payer = await onePayer(world);
    const before = await usdcOf(world, world.shop.merchant);
    const call = await prepare(world, payer);
    await ends(world, call, 'succeeded');
    const first = await settle(world, call);
    const block = (await node.findBlock(first.transactionId as Hex)) ?? 0n;
    await waitFor(async () => (await node.blockNumber()) >= block + BigInt(depth - 1), 20, 'buried');
    await node.reorganise(Number((await node.blockNumber()) - block) + 1);
    expect(await usdcOf(world, payer.address)).toBe(PRICE * 1_000n);

    await waitFor(async () => (await eventsOf(world, call)).length === 5, 40, 'taken back and completed again');
    const events = await eventsOf(world, call);
    expect(events.map(({ type }) => type)).toEqual([
      'payment_intent.created',
      'payment.created',
      'payment.completed',
      'payment.updated',
      'payment.completed',
    ]);
    expect(events[3]?.data).toMatchObject({
      object: { status: 'pending', paidAmount: null },
      previous_attributes: { status: 'completed', paidAmount: PRICE.toString() },
    });
    const second = await settle(world, call);
    expect(second).toMatchObject({ status: 'succeeded', transactionId: first.transactionId });
    expect(await usdcOf(world, payer.address)).toBe(PRICE * 999n);
    expect((await usdcOf(world, world.shop.merchant)) - before).toBe(1_330_050n);
    expect(await ledgerCheck(world)).toMatchObject({ exitCode: 0 });
  });

  test('a payment that must lie 5 blocks deep is called completed then, and what happens before is nobody’s business', async () => {
    const node = nodeOf(world);
    const payer = await onePayer(world);
    const call = await prepare(world, payer, { usdAmount: '150', tokenShortcode: 'anvil_usdc' });
    await settle(world, call);
    const sent = async () => (await settle(world, call)).transactionId as Hex | null;
    await waitFor(async () => (await sent()) !== null, 20, 'sent');
    const hash = (await sent()) as Hex;
    await waitFor(async () => (await node.findBlock(hash)) !== undefined, 20, 'mined');
    const block = (await node.findBlock(hash)) ?? 0n;
    const depth = Number((await node.blockNumber()) - block) + 1;
    expect(depth).toBeLessThan(5);
    await node.reorganise(depth);
    await ends(world, call, 'succeeded');
    expect(await node.blockNumber()).toBeGreaterThanOrEqual(((await node.findBlock(hash)) ?? 0n) + 4n);
    expect(await settle(world, call)).toMatchObject({ paymentIntent: { confirmations: 5 } });
    expect((await eventsOf(world, call)).map(({ type }) => type)).toEqual([
      'payment_intent.created',
      'payment.created',
      'payment.completed',
    ]);
  });

  test('a recovery that a reorganisation takes back is done again, and the payment completes once more', async () => {
    const node = nodeOf(world);
    const payer = await onePayer(world);
    const call = await queuedWithoutSettlement(world, payer);
    await submitDirectly(world, call);
    await world.settlement.start();
    await ends(world, call, 'succeeded');
    const { transactionId } = await settle(world, call);
    const block = (await node.findBlock(transactionId as Hex)) ?? 0n;
    await node.reorganise(Number((await node.blockNumber()) - block) + 1);
    await waitFor(async () => (await eventsOf(world, call)).length === 5, 40, 'taken back and completed again');
    expect((await eventsOf(world, call)).map(({ type }) => type).slice(2)).toEqual([
      'payment.completed',
      'payment.updated',
      'payment.completed',
    ]);
    expect(await usdcOf(world, payer.address)).toBe(PRICE * 999n);
    expect(await usdcOf(world, world.chain.record.processor)).toBe(0n);
    expect(await ledgerCheck(world)).toMatchObject({ exitCode: 0 });
  });

  test('a transaction that nodes forget before it is mined is sent again', async () => {
    const node = nodeOf(world);
    const payer = await onePayer(world);
    const call = await prepare(world, payer);
    await node.mineEvery(60);
    await settle(world, call);
    const sent = async () => (await settle(world, call)).transactionId as Hex | null;
    await waitFor(async () => (await sent()) !== null, 20, 'sent');
    await node.dropTransaction((await sent()) as Hex);
    expect(await node.pending()).toEqual({});
    await waitFor(async () => Object.keys(await node.pending()).length > 0, 20, 'sent again');
    await node.mineEvery(1);
    await ends(world, call, 'succeeded');
  });
});
