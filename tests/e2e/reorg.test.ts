// Statuses after a reorg: without any help every status becomes correct again, and the ledger stays consistent.
import type { Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ends, eventsOf, NO_WAIT, onePayer, PRICE, queuedWithoutSettlement, usdcOf } from './follow-payment.ts';
import { ledgerCheck } from './ledger-check.ts';
import { waitFor } from './many-payments.ts';
import { startWorld, type World } from './start-world.ts';
import { nodeOf, submitDirectly } from './stranger.ts';
import { prepare, settle } from './wallet.ts';

/** A block that is mined while the depth is on its way to the node makes the reorg one block short: then it goes again. */
async function takeBack(node: ReturnType<typeof nodeOf>, transaction: Hex, block: bigint): Promise<void> {
  do await node.reorganise(Number((await node.blockNumber()) - block) + 1);
  while ((await node.findBlock(transaction)) === block);
}

describe('a chain that changes its mind', () => {
  let world: World;
  beforeAll(async () => {
    // Final after 64 blocks: leaves time for a reorg before.
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
    await takeBack(node, first.transactionId as Hex, block);
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

  test('a stranded transfer whose transaction a reorg reverses is settled again, and the payment completes once more', async () => {
    const node = nodeOf(world);
    const payer = await onePayer(world);
    const call = await queuedWithoutSettlement(world, payer);
    await submitDirectly(world, call);
    await world.settlement.start();
    await ends(world, call, 'succeeded');
    const { transactionId } = await settle(world, call);
    const block = (await node.findBlock(transactionId as Hex)) ?? 0n;
    await takeBack(node, transactionId as Hex, block);
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

  test('a payment that must lie 5 blocks deep is called completed then; before, updates say whether a block has it', async () => {
    const node = nodeOf(world);
    const payer = await onePayer(world);
    const call = await prepare(world, payer, { usdAmount: '150', tokenShortcode: 'anvil_usdc' });
    // Blocks are mined by hand, so that the payment is one block deep at the reorg, also on a slow machine.
    await node.mineEvery(60);
    await settle(world, call);
    const sent = async () => (await settle(world, call)).transactionId as Hex | null;
    await waitFor(async () => (await sent()) !== null, 20, 'sent');
    const hash = (await sent()) as Hex;
    await waitFor(async () => Object.keys(await node.pending()).length > 0, 20, 'in the pool');
    await node.mine();
    expect(await node.findBlock(hash)).toBe(await node.blockNumber());
    await node.reorganise(1);
    await node.mineEvery(1);
    await ends(world, call, 'succeeded');
    expect(await node.blockNumber()).toBeGreaterThanOrEqual(((await node.findBlock(hash)) ?? 0n) + 4n);
    expect(await settle(world, call)).toMatchObject({ paymentIntent: { confirmations: 5 } });
    const types = (await eventsOf(world, call)).map(({ type }) => type);
    // One when a block has it; two more if the first block was seen before the reorg.
    const updates = types.filter((type) => type === 'payment.updated');
    expect(updates.length % 2).toBe(1);
    expect(types).toEqual(['payment_intent.created', 'payment.created', ...updates, 'payment.completed']);
  });
});
