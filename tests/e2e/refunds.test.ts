// Refunds from the merchant's signature to the final block, over the whole service: whatever crashes and whoever submits a
// signature first, the money goes back once, and the books show it.
import { mockUsdcAbi } from '@svc-pay/evm';
import { createWalletClient, type Hex, http, parseEther, parseSignature, publicActions } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chainTrouble } from './chain-trouble.ts';
import { eventsOf, PRICE, usdcOf } from './follow-payment.ts';
import { ledgerCheck } from './ledger-check.ts';
import { waitFor } from './many-payments.ts';
import {
  type FinalPayment,
  finalPayment,
  openRefundShop,
  type RefundShop,
  refund,
  refundIs,
  refundOf,
  reportTransfer,
  sendBack,
  totalsOf,
} from './refund-shop.ts';
import { startWorld } from './start-world.ts';
import { nodeOf } from './stranger.ts';

const world = await startWorld();
const HALF = PRICE / 2n;
let shop: RefundShop;

beforeAll(async () => {
  shop = await openRefundShop(world);
});

afterAll(async () => {
  expect(await ledgerCheck(world)).toMatchObject({ exitCode: 0 });
});

const typesOf = async (payment: FinalPayment) => (await eventsOf(world, payment)).map(({ type }) => type);
const batchesOf = async () =>
  (await world.database.pool.query<{ count: number }>('select count(*)::integer as count from svc.batches')).rows[0]
    ?.count ?? 0;

/** The signed transfer as the database has it: anybody who sees it can submit it. */
async function signedTransfer(id: string) {
  const { rows } = await world.database.pool.query<{
    wallet: Hex;
    recipient: Hex;
    amount: string;
    valid_before: string;
    nonce: string;
    signature: string;
  }>(
    `select wallet, recipient, amount, valid_before, encode(nonce, 'hex') as nonce, encode(signature, 'hex') as signature
     from svc.refunds where id = $1`,
    [id],
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`no refund ${id}`);
  return { ...row, nonce: `0x${row.nonce}`, signature: `0x${row.signature}` } as const;
}

async function submitAsStranger(id: string): Promise<Hex> {
  const { wallet, recipient, amount, valid_before, nonce, signature } = await signedTransfer(id);
  const { r, s, yParity } = parseSignature(signature);
  const { account } = await world.chain.newKey(parseEther('1'));
  const client = createWalletClient({ account, transport: http(world.chain.rpcUrl) }).extend(publicActions);
  const hash = await client.writeContract({
    chain: null,
    abi: mockUsdcAbi,
    address: world.chain.tokens.usdc,
    functionName: 'transferWithAuthorization',
    args: [wallet, recipient, BigInt(amount), 0n, BigInt(valid_before), nonce, yParity + 27, r, s],
  });
  const { status } = await client.waitForTransactionReceipt({ hash, pollingInterval: 20 });
  if (status !== 'success') throw new Error('the stranger was refused');
  return hash;
}

test('half of a payment goes back, then the rest: the merchant hears of both, and the payment is refunded', async () => {
  const payment = await finalPayment(world, shop);
  const before = await usdcOf(world, payment.payer.address);
  const first = await refund(world, shop, payment, { amount: HALF });
  await refundIs(world, first, 'completed');
  expect(await totalsOf(world, payment)).toEqual({ refunded: HALF, reserved: 0n, status: 'completed' });
  expect(await usdcOf(world, payment.payer.address)).toBe(before + HALF);
  expect((await eventsOf(world, payment)).at(-1)).toMatchObject({
    type: 'payment.updated',
    data: { object: { status: 'completed', refundedAmount: HALF.toString() } },
  });
  const second = await refund(world, shop, payment);
  await refundIs(world, second, 'completed');
  expect(await totalsOf(world, payment)).toEqual({ refunded: PRICE, reserved: 0n, status: 'refunded' });
  expect(await usdcOf(world, payment.payer.address)).toBe(before + PRICE);
  expect((await eventsOf(world, payment)).at(-1)).toMatchObject({
    type: 'payment.refunded',
    data: { object: { status: 'refunded', refundedAmount: PRICE.toString() } },
  });
  await expect(refund(world, shop, payment, { amount: 1n })).rejects.toThrow('refund_exceeds_paid');
});

test('a merchant’s contract wallet (ERC-1271) refunds', async () => {
  const own = await openRefundShop(world, 'contract');
  const payment = await finalPayment(world, own);
  const before = await usdcOf(world, payment.payer.address);
  const id = await refund(world, own, payment);
  await refundIs(world, id, 'completed');
  expect(await usdcOf(world, payment.payer.address)).toBe(before + PRICE);
});

test('partial refunds that race never give back more than was paid', async () => {
  const payment = await finalPayment(world, shop);
  const before = await usdcOf(world, payment.payer.address);
  const amount = (PRICE * 2n) / 5n;
  const ids: string[] = [];
  for (let round = 0; round < 3; round += 1) {
    const racing = await Promise.allSettled(Array.from({ length: 4 }, () => refund(world, shop, payment, { amount })));
    ids.push(...racing.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])));
  }
  expect(ids.length).toBe(2);
  await Promise.all(ids.map((id) => refundIs(world, id, 'completed')));
  expect(await totalsOf(world, payment)).toEqual({ refunded: 2n * amount, reserved: 0n, status: 'completed' });
  expect(await usdcOf(world, payment.payer.address)).toBe(before + 2n * amount);
});

test('a stranger who submits the merchant’s signature first only does the lane’s work: the refund completes once', async () => {
  const payment = await finalPayment(world, shop);
  const before = await usdcOf(world, payment.payer.address);
  await world.settlement.kill('SIGKILL');
  const id = await refund(world, shop, payment);
  const hash = await submitAsStranger(id);
  await world.settlement.start();
  await refundIs(world, id, 'completed');
  expect(await refundOf(world, id)).toMatchObject({ transaction_id: hash, batch_id: null });
  expect(await usdcOf(world, payment.payer.address)).toBe(before + PRICE);
});

test('a refund that expires unsent fails and frees its amount, and another refund takes its place', async () => {
  const payment = await finalPayment(world, shop);
  const before = await usdcOf(world, payment.payer.address);
  await world.settlement.kill('SIGKILL');
  const validBeforeSeconds = BigInt(Math.floor(Date.now() / 1_000)) + 1n;
  const id = await refund(world, shop, payment, { validBeforeSeconds });
  expect(await totalsOf(world, payment)).toMatchObject({ reserved: PRICE });
  await waitFor(async () => BigInt(Math.floor(Date.now() / 1_000)) > validBeforeSeconds + 1n, 10, 'expired');
  await world.settlement.start();
  await refundIs(world, id, 'failed');
  expect(await refundOf(world, id)).toMatchObject({ failure_code: 'refund_expired', transaction_id: null });
  expect(await totalsOf(world, payment)).toEqual({ refunded: 0n, reserved: 0n, status: 'completed' });
  await refundIs(world, await refund(world, shop, payment), 'completed');
  expect(await usdcOf(world, payment.payer.address)).toBe(before + PRICE);
});

test('a wallet without the money is not sent for, and the refund goes when the money is there', async () => {
  const poor = await openRefundShop(world);
  const payment = await finalPayment(world, poor);
  const held = await usdcOf(world, poor.merchant);
  await sendBack(world, poor, shop.merchant, held);
  const sent = await batchesOf();
  const id = await refund(world, poor, payment);
  const refusalOf = async () =>
    (await world.database.pool.query<{ refusal: string }>('select refusal from svc.refunds where id = $1', [id]))
      .rows[0]?.refusal;
  await waitFor(async () => (await refusalOf()) === 'refund_insufficient_funds', 20, 'refused');
  expect([await batchesOf(), (await refundOf(world, id)).status]).toEqual([sent, 'queued']);
  await world.chain.mint(world.chain.tokens.usdc, poor.merchant, PRICE);
  await world.database.pool.query('update svc.refunds set retry_at = now() where id = $1', [id]);
  await refundIs(world, id, 'completed');
});

describe('a transfer that the merchant made and reports', () => {
  test('is proven by its final log; the same log refunds no second payment', async () => {
    const [payment, other] = [await finalPayment(world, shop), await finalPayment(world, shop)];
    const hash = await sendBack(world, shop, payment.payer.address, HALF);
    const id = await reportTransfer(world, shop, payment, hash);
    await refundIs(world, id, 'completed');
    expect(await refundOf(world, id)).toMatchObject({ amount: HALF.toString(), transaction_id: hash });
    expect(await totalsOf(world, payment)).toEqual({ refunded: HALF, reserved: 0n, status: 'completed' });
    expect((await typesOf(payment)).at(-1)).toBe('payment.updated');
    const samePayer = await reportTransfer(world, shop, { ...other, payer: payment.payer }, hash);
    await refundIs(world, samePayer, 'failed');
    expect(await refundOf(world, samePayer)).toMatchObject({ failure_code: 'refund_transfer_not_proven' });
    expect(await totalsOf(world, other)).toMatchObject({ refunded: 0n, reserved: 0n });
  });

  test('proves nothing where it went to somebody else, or is a signed refund of its own', async () => {
    const [payment, other] = [await finalPayment(world, shop), await finalPayment(world, shop)];
    const elsewhere = await sendBack(world, shop, other.payer.address, HALF);
    const wrong = await reportTransfer(world, shop, payment, elsewhere);
    await refundIs(world, wrong, 'failed');
    const signed = await refund(world, shop, payment, { amount: HALF });
    await refundIs(world, signed, 'completed');
    const { transaction_id } = await refundOf(world, signed);
    const again = await reportTransfer(world, shop, payment, transaction_id ?? '0x');
    await refundIs(world, again, 'failed');
    expect(await totalsOf(world, payment)).toEqual({ refunded: HALF, reserved: 0n, status: 'completed' });
  });
});

test('kill -9 of settlement after a refund was signed and before it is mined: the same bytes go again, once', async () => {
  const { pending, stopMining, startMining } = chainTrouble(world);
  const node = nodeOf(world);
  const payment = await finalPayment(world, shop);
  const before = await usdcOf(world, payment.payer.address);
  await stopMining();
  const id = await refund(world, shop, payment);
  await refundIs(world, id, 'sent');
  await world.settlement.kill('SIGKILL');
  for (const hash of await pending()) await node.dropTransaction(hash);
  const { rows } = await world.database.pool.query<{ transaction_id: string }>(
    'select t.transaction_id from svc.batch_transactions t join svc.refunds r on r.batch_id = t.batch_id where r.id = $1',
    [id],
  );
  expect(rows).toHaveLength(1);
  await Promise.all([startMining(), world.settlement.start()]);
  await refundIs(world, id, 'completed');
  expect(await refundOf(world, id)).toMatchObject({ transaction_id: rows[0]?.transaction_id });
  expect(await usdcOf(world, payment.payer.address)).toBe(before + PRICE);
});
