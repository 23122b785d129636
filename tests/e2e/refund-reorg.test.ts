// A reorg takes the block of a refund back before it is final: the refund is sent again by the same bytes and completes
// once, and its payment stays as it is.
import type { Hex } from 'viem';
import { expect, test } from 'vitest';
import { NO_WAIT, PRICE, usdcOf } from './follow-payment.ts';
import { ledgerCheck } from './ledger-check.ts';
import { waitFor } from './many-payments.ts';
import { finalPayment, openRefundShop, refund, refundIs, refundOf, totalsOf } from './refund-shop.ts';
import { startWorld } from './start-world.ts';
import { nodeOf } from './stranger.ts';

test('a refund whose block a reorg removes goes back once, and is completed only in a final block', async () => {
  const world = await startWorld({ ...NO_WAIT, blockTimeSeconds: 0.2, slotsInAnEpoch: 16 });
  const node = nodeOf(world);
  const shop = await openRefundShop(world);
  const payment = await finalPayment(world, shop);
  const before = await usdcOf(world, payment.payer.address);
  const id = await refund(world, shop, payment);
  const isMined = async () => {
    const { batch_id } = await refundOf(world, id);
    const { rows } = await world.database.pool.query('select status from svc.batches where id = $1', [batch_id]);
    return rows[0]?.status === 'mined';
  };
  await waitFor(isMined, 20, 'mined');
  const { transaction_id, status } = await refundOf(world, id);
  expect(status).toBe('sent');
  const block = (await node.findBlock(transaction_id as Hex)) ?? 0n;
  do await node.reorganise(Number((await node.blockNumber()) - block) + 1);
  while ((await node.findBlock(transaction_id as Hex)) === block);
  expect(await usdcOf(world, payment.payer.address)).toBe(before);
  await refundIs(world, id, 'completed');
  expect(await refundOf(world, id)).toMatchObject({ transaction_id });
  expect(await totalsOf(world, payment)).toEqual({ refunded: PRICE, reserved: 0n, status: 'refunded' });
  expect(await usdcOf(world, payment.payer.address)).toBe(before + PRICE);
  expect(await ledgerCheck(world)).toMatchObject({ exitCode: 0 });
});
