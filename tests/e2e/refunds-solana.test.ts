// Refunds on the local Solana chain, from the merchant's call to the payer's balance.
import { signRefund } from '@svc-pay/console/sign-refund';
import type { Payment } from '@svc-pay/protocol';
import type { CreatedRefund } from '@svc-pay/protocol/merchant';
import { createLocalRelayer, openNode, prepareTransfer, readTokenBalance } from '@svc-pay/solana';
import { DEVNET_USDC } from '@svc-pay/solana/local';
import { signPayment } from '@svc-pay/solana/testing';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { ledgerCheck } from './ledger-check.ts';
import { waitFor } from './many-payments.ts';
import {
  askRefund,
  endOf,
  type Paid,
  payFinally,
  prepareRefund,
  readRefund,
  refund,
  submitRefund,
} from './solana-refund-calls.ts';
import { newPayer, PRICE, sign, startSolanaWorld } from './solana-world.ts';

const world = await startSolanaWorld({ feeBps: 0, splitBps: [] });
const node = openNode(world.solana.rpcUrl);
const { pool } = world.database;

afterAll(async () => {
  const { output, exitCode } = await ledgerCheck(world);
  await world.stop();
  expect({ output, exitCode }).toMatchObject({ exitCode: 0 });
}, 60_000);

const usdcOf = (owner: string) => readTokenBalance([node], owner, DEVNET_USDC);
const merchantHas = () => usdcOf(world.merchant.address);
const WHOLE = PRICE * 10n;

async function eventsOf({ paymentId }: Paid) {
  const { rows } = await pool.query<{ type: string; body: Buffer }>(
    'select type, body from svc.events where payment_id = $1 order by sequence',
    [paymentId],
  );
  return rows.map(({ type, body }) => {
    const { data } = JSON.parse(body.toString()) as { data: { object: { refundedAmount?: string | null } } };
    return `${type} ${data.object.refundedAmount ?? '-'}`;
  });
}

async function totalsOf({ paymentId }: Paid) {
  const { rows } = await pool.query<{ refunded: string; reserved: string }>(
    'select refunded, reserved from svc.refund_totals where payment_id = $1',
    [paymentId],
  );
  return rows[0];
}

test('a merchant without SOL gives the whole payment back: one signature, and the payer has all of it again', async () => {
  const paid = await payFinally(world);
  const before = await merchantHas();
  const { id } = await refund(world, paid.paymentId);
  expect(await endOf(world, id)).toMatchObject({
    status: 'completed',
    amount: PRICE.toString(),
    from: world.merchant.address,
    to: paid.payer.address,
    transactionId: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{80,90}$/),
    failureCode: null,
  });
  expect(await usdcOf(paid.payer.address)).toBe(WHOLE);
  expect(await merchantHas()).toBe(before - PRICE);
  expect((await node.accounts([world.merchant.address]))[0]).toBeNull();
  expect(await eventsOf(paid)).toEqual(['payment.created -', 'payment.completed 0', `payment.refunded ${PRICE}`]);
  const again = await askRefund(world, paid.paymentId);
  expect(again).toMatchObject({ status: 409, body: { error: 'refund_exceeds_paid' } });
});

test('parts add up to what was paid and no further, also when each is submitted many times at once', async () => {
  const paid = await payFinally(world);
  const first = await prepareRefund(world, paid.paymentId, { amount: '500000' });
  const transaction = await sign(first.unsigned, world.merchant);
  const answers = await Promise.all(
    Array.from({ length: 16 }, () => submitRefund(world, first.refund.id, transaction)),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
  expect(await endOf(world, first.refund.id)).toMatchObject({ status: 'completed', amount: '500000' });
  const rest = (PRICE - 500_000n).toString();
  const tooMuch = await askRefund(world, paid.paymentId, { amount: (PRICE - 499_999n).toString() });
  expect(tooMuch).toMatchObject({ status: 409, body: { error: 'refund_exceeds_paid' } });
  const { id } = await refund(world, paid.paymentId);
  expect(await endOf(world, id)).toMatchObject({ status: 'completed', amount: rest });
  expect(await usdcOf(paid.payer.address)).toBe(WHOLE);
  expect((await eventsOf(paid)).slice(2)).toEqual(['payment.updated 500000', `payment.refunded ${PRICE}`]);
  expect(await totalsOf(paid)).toEqual({ refunded: PRICE.toString(), reserved: '0' });
});

/** The merchant's wallet in a page, by the Wallet Standard: it shares its account once the page has connected. */
function walletInPage() {
  const signed: { readonly chain: string; readonly address: string }[] = [];
  const account = { address: world.merchant.address, publicKey: new Uint8Array(32), chains: ['solana:devnet'] };
  const wallet = {
    name: 'Till',
    icon: 'data:,',
    chains: ['solana:devnet'],
    accounts: [] as (typeof account)[],
    features: {
      'standard:connect': { connect: async () => ({ accounts: [wallet.accounts.push(account)] }) },
      'solana:signTransaction': {
        supportedTransactionVersions: ['legacy', 0],
        signTransaction: async (asked: { account: typeof account; transaction: Uint8Array; chain: string }) => {
          signed.push({ chain: asked.chain, address: asked.account.address });
          const transaction = await sign(Buffer.from(asked.transaction).toString('base64'), world.merchant);
          return [{ signedTransaction: Uint8Array.from(Buffer.from(transaction, 'base64')) }];
        },
      },
    },
  };
  const page = new EventTarget();
  page.addEventListener('wallet-standard:app-ready', (event) =>
    (event as CustomEvent<{ register: (one: unknown) => void }>).detail.register(wallet),
  );
  vi.stubGlobal('window', page);
  onTestFinished(() => {
    vi.unstubAllGlobals();
  });
  return signed;
}

test('what the console’s page has the merchant’s wallet sign is what the API takes, and never another refund', async () => {
  const paid = await payFinally(world);
  const signed = walletInPage();
  const { refund: made, sign: asked } = (await askRefund(world, paid.paymentId, { amount: '400000' }))
    .body as unknown as CreatedRefund;
  if (asked === null) throw new Error('nothing to sign');
  const response = await fetch(`${world.apiUrl}/sdk/payments/${paid.paymentId}`, {
    headers: { authorization: `Bearer ${world.shop.secretKey}` },
  });
  const payment = (await response.json()) as Payment;
  const wanted = { refund: made, sign: asked, payment, amount: '400000', refundTo: null, mode: 'test' } as const;
  const stranger = await newPayer(world);
  for (const other of [{ amount: '400001' }, { refundTo: stranger.address }, { mode: 'live' as const }])
    await expect(signRefund({ ...wanted, ...other })).rejects.toThrow('so nothing was signed');
  expect(signed).toEqual([]);
  const { transaction } = await signRefund(wanted);
  expect(signed).toEqual([{ chain: 'solana:devnet', address: world.merchant.address }]);
  expect(await submitRefund(world, made.id, transaction ?? '')).toMatchObject({ status: 202 });
  expect(await endOf(world, made.id)).toMatchObject({ status: 'completed', amount: '400000' });
  expect(await usdcOf(paid.payer.address)).toBe(WHOLE - PRICE + 400_000n);
});

test('nobody but the merchant’s wallet refunds, and nothing but what was prepared is taken', async () => {
  const paid = await payFinally(world);
  const before = await merchantHas();
  expect((await askRefund(world, paid.paymentId, {}, world.shop.publishableKey)).status).toBe(403);
  const stranger = await newPayer(world);
  expect(await askRefund(world, paid.paymentId, { refundTo: stranger.address })).toMatchObject({
    body: { error: 'refund_to_not_needed' },
  });
  expect(await askRefund(world, paid.paymentId, { from: stranger.address })).toMatchObject({
    body: { error: 'refund_wallet_unknown' },
  });
  const { refund: prepared, unsigned } = await prepareRefund(world, paid.paymentId, { amount: '100000' });
  const other = await prepareRefund(world, paid.paymentId, { amount: '200000' });
  const forged = Buffer.from(await sign(unsigned, world.merchant), 'base64');
  forged[70] = (forged[70] ?? 0) ^ 1;
  const lifetime = await node.latestLifetime();
  const own = await prepareTransfer(
    {
      intentId: '',
      payer: world.merchant.address,
      relayer: world.relayer,
      mint: DEVNET_USDC,
      tokenProgram: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
      decimals: 6,
      legs: [{ owner: stranger.address, amountAtomic: PRICE }],
      memo: `svcref:${prepared.id}`,
    },
    lifetime,
  );
  if (!own.ok) throw new Error(own.code);
  const cases = [
    unsigned,
    forged.toString('base64'),
    await sign(other.unsigned, world.merchant),
    await sign(Buffer.from(own.prepared.wire).toString('base64'), world.merchant),
  ];
  for (const transaction of cases)
    expect(await submitRefund(world, prepared.id, transaction)).toMatchObject({
      status: 422,
      body: { error: 'refund_signature_invalid' },
    });
  expect(await merchantHas()).toBe(before);
  expect(await totalsOf(paid)).toEqual({ refunded: '0', reserved: '0' });
});

test('a wallet with too little is told before anything is signed', async () => {
  const paid = await payFinally(world);
  const had = await merchantHas();
  await world.solana.fundToken(world.merchant.address, PRICE - 1n);
  expect(await askRefund(world, paid.paymentId)).toMatchObject({ body: { error: 'refund_insufficient_funds' } });
  await world.solana.fundToken(world.merchant.address, had);
});

test('a transfer that the merchant made counts once, for the payment of its payer alone', async () => {
  const [paid, other] = [await payFinally(world), await payFinally(world)];
  const feePayer = await createLocalRelayer(crypto.getRandomValues(new Uint8Array(32)));
  await world.solana.fundSol(feePayer.address, 1_000_000_000n);
  const transactionId = await sendOwn(feePayer, paid.payer.address, 600_000n);
  const report = async ({ paymentId }: Paid) => {
    const { status, body } = await askRefund(world, paymentId, { transactionId });
    if (status !== 201) throw new Error(`${status}: ${body.error}`);
    expect(body.sign).toBeNull();
    return endOf(world, body.refund.id);
  };
  expect(await report(paid)).toMatchObject({ status: 'completed', amount: '600000', transactionId });
  expect((await eventsOf(paid)).slice(2)).toEqual(['payment.updated 600000']);
  const failed = { status: 'failed', failureCode: 'refund_transfer_not_proven' };
  expect(await report(other)).toMatchObject(failed);
  expect(await totalsOf(paid)).toEqual({ refunded: '600000', reserved: '0' });
  expect(await totalsOf(other)).toEqual({ refunded: '0', reserved: '0' });
  const { id } = await refund(world, paid.paymentId);
  expect(await endOf(world, id)).toMatchObject({ status: 'completed', amount: (PRICE - 600_000n).toString() });
});

test('what is signed and not sent in time ends when its blockhash has, and its amount can be refunded again', async () => {
  const paid = await payFinally(world);
  const { refund: prepared, unsigned } = await prepareRefund(world, paid.paymentId);
  await world.settlement.kill('SIGKILL');
  expect(await submitRefund(world, prepared.id, await sign(unsigned, world.merchant))).toMatchObject({ status: 202 });
  expect(await totalsOf(paid)).toEqual({ refunded: '0', reserved: PRICE.toString() });
  expect(await askRefund(world, paid.paymentId)).toMatchObject({ body: { error: 'refund_exceeds_paid' } });
  const { rows } = await pool.query<{ height: string }>(
    `select transfer ->> 'lastValidBlockHeight' as height from svc.refunds where id = $1`,
    [prepared.id],
  );
  const last = BigInt(rows[0]?.height ?? 0);
  await waitFor(async () => (await node.blockHeight('finalized')) > last, 90, 'past its blockhash');
  await world.settlement.start();
  expect(await endOf(world, prepared.id)).toMatchObject({ status: 'failed', failureCode: 'refund_expired' });
  expect(await usdcOf(paid.payer.address)).toBe(WHOLE - PRICE);
  expect(await totalsOf(paid)).toEqual({ refunded: '0', reserved: '0' });
  const { id } = await refund(world, paid.paymentId);
  expect(await endOf(world, id)).toMatchObject({ status: 'completed' });
  expect(await usdcOf(paid.payer.address)).toBe(WHOLE);
});

test('settlement dies between storing and sending: the refund is sent once afterwards', async () => {
  const paid = await payFinally(world);
  const before = await merchantHas();
  world.solana.faults.dropSends = 1_000;
  const { id } = await refund(world, paid.paymentId, { amount: '700000' });
  await waitFor(async () => (await readRefund(world, id)).status === 'sent', 30, 'sent');
  await world.settlement.kill('SIGKILL');
  expect(await merchantHas()).toBe(before);
  world.solana.faults.dropSends = 0;
  await world.settlement.start();
  expect(await endOf(world, id)).toMatchObject({ status: 'completed', amount: '700000' });
  expect(await merchantHas()).toBe(before - 700_000n);
  expect(await usdcOf(paid.payer.address)).toBe(WHOLE - PRICE + 700_000n);
});

/** A transfer of the merchant's wallet for which somebody else pays. */
async function sendOwn(
  feePayer: Awaited<ReturnType<typeof createLocalRelayer>>,
  owner: string,
  amountAtomic: bigint,
): Promise<string> {
  const terms = {
    intentId: '',
    payer: world.merchant.address,
    relayer: feePayer.address,
    mint: DEVNET_USDC,
    tokenProgram: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    decimals: 6,
    legs: [{ owner, amountAtomic }],
    memo: 'sorry',
  };
  const { transactionId, wire } = await signPayment(node, terms, { payer: world.merchant, relayer: feePayer });
  expect(await node.send(wire)).toEqual({ outcome: 'known' });
  return transactionId;
}
