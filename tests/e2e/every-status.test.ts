// Every status and every event of the interface, reached by money that moves on real chains: no status is written by a
// statement of a test. Prints which flow shows which, and holds the page of it current (`-u` writes it anew).
import { EVENT_TYPES } from '@svc-pay/protocol';
import { createSvcPay } from '@svc-pay/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { followSolanaPay } from '../solana/follow-solana-pay.ts';
import { type DirectShop, openDirectShop, prepareDirect, readerHasToken, settleDirect } from './direct-shop.ts';
import { createFlowTable, type Flow, type Merchant } from './flow-table.ts';
import { FLOWS, flowsPage } from './flows-page.ts';
import { NO_WAIT, onePayer, PRICE } from './follow-payment.ts';
import { ledgerCheck } from './ledger-check.ts';
import { waitFor } from './many-payments.ts';
import { approvedPayer } from './open-pay.ts';
import type { Shop } from './open-shop.ts';
import { finalPayment, openRefundShop, type RefundShop } from './refund-shop.ts';
import { createRegular, regularOf, regularPayer } from './regular-payer.ts';
import { payFinally } from './solana-refund-calls.ts';
import { DIVIDED, newIntent, newPayer, relay, signFor, startSolanaWorld } from './solana-world.ts';
import { submitDirectly } from './stranger.ts';
import { confirm, prepareUpto, release, settleUpto } from './upto-calls.ts';
import {
  createIntent,
  type Payer,
  type PaymentRequired,
  payerOf,
  post,
  prepare,
  type SettleCall,
  settle,
  signHeader,
} from './wallet.ts';
import { openEndpoint } from './webhook-receiver.ts';

const PRICE_LIFE_MS = 60_000;
const world = await startSolanaWorld(DIVIDED, {
  api: { ...NO_WAIT.api, SVC_PRICE_LIFE_MS: String(PRICE_LIFE_MS) },
  webhooks: true,
  // Two endpoints agree within one run of the reader.
  rpcUrls: async (url) => [url, url.replace('127.0.0.1', 'localhost')],
  settlement: { SVC_READER_EVERY_MS: '200', SVC_READER_CLAIM_MS: '500' },
});
const { apiUrl, chain, database } = world;
const merchantOf = async <Own extends Shop>(shop: Own): Promise<Merchant & { readonly shop: Own }> => ({
  shop,
  endpoint: await openEndpoint(world, { eventTypes: EVENT_TYPES, shop }),
});
const main = await merchantOf(world.shop);
const direct = await merchantOf<DirectShop>(await openDirectShop(world, 'exclusive'));
const refunding = await merchantOf<RefundShop>(await openRefundShop(world));
const USDC = { usdAmount: '1.5', tokenShortcode: 'anvil_usdc' };
/** In a token with a price, which ends soon, and the intent with it. */
const SHORT_LIVED = { usdAmount: '1', tokenShortcode: 'anvil_vol' };
const CREATED = 'payment_intent.created';
const PAID = [CREATED, 'payment.created', 'payment.completed'];
const MISMATCHED = ['payment.created', 'payment.updated'];

const table = createFlowTable(world, FLOWS);
const begin = (name: (typeof FLOWS)[number], merchant: Merchant = main): Flow => table.begin(name, merchant);
const at = (shop: Shop) => ({ apiUrl, shop });
const secretly = (path: string, { secretKey }: Shop = main.shop) => post(`${apiUrl}${path}`, secretKey, {});

afterAll(async () => {
  const checked = await ledgerCheck(world);
  await world.stop();
  expect(checked).toMatchObject({ exitCode: 0 });
}, 60_000);

/** Intents that live for a minute, created first so that they end while the other flows run. */
const expiring = await createIntent(world, SHORT_LIVED);
const late = await createRegular(world, SHORT_LIVED);
let shortLived: Awaited<ReturnType<typeof openShortLived>>;

beforeAll(async () => {
  shortLived = await openShortLived();
  await world.solana.fundToken(world.merchant.address, PRICE * 100n);
  await readerHasToken(world);
});

const succeeds = async (flow: Flow, ask: () => Promise<Parameters<Flow['answered']>[0]>) => {
  await waitFor(async () => (await ask()).status === 'succeeded', 60, 'succeeded');
  flow.answered(await ask());
};

test.concurrent('an exact payment through the processor', async () => {
  const flow = begin('Exact, through the processor');
  const payer = await onePayer(world);
  const call = await prepare(world, payer);
  await flow.shows(call.paymentIntentId, 'requires_payment');
  const first = await settle(world, call);
  expect(first).toMatchObject({ status: 'processing', payment: { status: 'pending' } });
  flow.answered(first);
  await succeeds(flow, () => settle(world, call));
  const other = { ...call, paymentHeader: await signHeader(payer, call.paymentRequirements) };
  const afterwards = await settle(world, other);
  expect(afterwards.status).toBe('completed');
  flow.answered(afterwards);
  await flow.shows(call.paymentIntentId, 'completed', ['completed']);
  await flow.hears(call.paymentIntentId, ...PAID);
});

test.concurrent('an exact payment to the merchant’s own wallet', async () => {
  const flow = begin('Exact, to the merchant’s wallet', direct);
  const call = await prepareDirect(world, direct.shop, await onePayer(world), 'bound');
  await flow.shows(call.paymentIntentId, 'requires_payment');
  flow.answered(await settleDirect(world, call));
  await succeeds(flow, () => settleDirect(world, call));
  await flow.shows(call.paymentIntentId, 'completed', ['completed']);
  await flow.hears(call.paymentIntentId, ...PAID);
});

test.concurrent('an exact payment on Solana', async () => {
  const flow = begin('Exact, on Solana');
  const { id } = await newIntent(world);
  await flow.shows(id, 'requires_payment');
  const signed = await signFor(world, id, await newPayer(world));
  flow.answered(await relay(world, id, signed));
  await succeeds(flow, () => relay(world, id, signed));
  await flow.shows(id, 'completed', ['completed']);
  await flow.hears(id, ...PAID);
});

test.concurrent('an up-to payment', async () => {
  const flow = begin('Up-to, settled below its cap');
  const call = await prepareUpto(world, await onePayer(world));
  const id = call.paymentIntentId;
  expect((await confirm(world, call)).body.ok).toBe(true);
  await flow.shows(id, 'requires_payment');
  const settleIt = async () => (await settleUpto(world, { paymentIntentId: id, settledAmount: '1234' })).body;
  flow.answered(await settleIt());
  await succeeds(flow, settleIt);
  await flow.shows(id, 'completed', ['completed']);
  await flow.hears(id, CREATED, 'x402_upto_authorization_received', 'payment.created', 'payment.completed');
});

test.concurrent('a payer’s own approve and pay', async () => {
  const flow = begin('Regular: `approve` and `pay`');
  const created = await createRegular(world, USDC);
  await flow.shows(created.paymentIntentId, 'requires_payment');
  await (await regularPayer(world)).pay(created.regular[0]);
  await flow.shows(created.paymentIntentId, 'completed', ['completed']);
  await flow.hears(created.paymentIntentId, ...PAID);
});

test.concurrent('a payer’s own transferWithAuthorization', async () => {
  const flow = begin('Regular, to the merchant’s wallet', direct);
  const created = await createRegular(at(direct.shop), USDC);
  await flow.shows(created.paymentIntentId, 'requires_payment');
  await (await regularPayer(world)).pay(created.regular[0]);
  await flow.shows(created.paymentIntentId, 'completed', ['completed']);
  await flow.hears(created.paymentIntentId, ...PAID);
});

test.concurrent('a wallet app that follows a Solana Pay link', async () => {
  const flow = begin('Regular: Solana Pay');
  const { id } = await newIntent(world);
  await flow.shows(id, 'requires_payment');
  const option = (await regularOf(world, id)).regular.find(({ kind }) => kind === 'solana_pay');
  if (option?.kind !== 'solana_pay') throw new Error('no link');
  const payer = await newPayer(world);
  await world.solana.fundSol(payer.address, 100_000_000n);
  await followSolanaPay(option.link, payer, world.solana.rpcUrl);
  await flow.shows(id, 'completed', ['completed']);
  await flow.hears(id, ...PAID);
});

/** An intent, and a payer who calls `pay` of the processor for it with any amount. */
async function openIntent(body: object = USDC, token = chain.tokens.usdc) {
  const intent = await createIntent(world, { ...body });
  const { paymentIntentId: id } = intent;
  const { rows } = await database.pool.query<{ payout: string; code: string }>(
    `select payout_id as payout, intent_code as code from svc.acceptances
     join svc.intents i on i.id = intent_id where intent_id = $1`,
    [id],
  );
  const [{ payout, code }] = rows as [{ payout: string; code: string }];
  const payer = await approvedPayer(world, 10n ** 19n, token);
  return { id, intent, pay: (amount: bigint) => payer.pay(BigInt(code), BigInt(payout), amount) };
}

test.concurrent('an underpayment and the rest of it', async () => {
  const flow = begin('Underpaid, then the rest');
  const { id, pay } = await openIntent();
  await flow.shows(id, 'requires_payment');
  await pay(PRICE / 2n);
  await flow.shows(id, 'mismatched', ['mismatched']);
  await pay(PRICE / 2n);
  await flow.shows(id, 'completed', ['mismatched', 'completed']);
  await flow.hears(id, CREATED, ...MISMATCHED, 'payment.created', 'payment.completed');
});

test.concurrent('an underpayment that the merchant accepts', async () => {
  const flow = begin('Underpaid, accepted by the merchant');
  const { id, pay } = await openIntent();
  await pay(PRICE / 2n);
  await flow.shows(id, 'mismatched', ['mismatched']);
  const { data } = await flow.read<{ data: readonly { id: string }[] }>(`/sdk/payments?intentId=${id}`);
  expect((await secretly(`/sdk/payments/${data[0]?.id}/accept`)).status).toBe(200);
  await flow.shows(id, 'completed', ['completed']);
  await flow.hears(id, CREATED, ...MISMATCHED, 'payment.completed');
});

test.concurrent('an overpayment', async () => {
  const flow = begin('Overpaid');
  const { id, pay } = await openIntent();
  await pay(PRICE * 2n);
  await flow.shows(id, 'completed', ['completed']);
  await flow.hears(id, ...PAID);
});

test.concurrent('two payments of one intent', async () => {
  const flow = begin('Paid twice');
  const { id, pay } = await openIntent();
  await pay(PRICE);
  await pay(PRICE);
  await flow.shows(id, 'completed', ['completed', 'mismatched']);
  const last = await flow.hears(id, ...PAID, ...MISMATCHED);
  const [requestedAmount, paidAmount] = [PRICE.toString(), PRICE.toString()];
  expect(last?.data.object).toMatchObject({ status: 'mismatched', requestedAmount, paidAmount });
});

test.concurrent('a header that is refused, and whose money comes when the merchant has canceled', async () => {
  const refused = begin('Refused before anything was claimed', direct);
  const flow = begin('Signed, canceled, and submitted by a stranger', direct);
  const { account } = await chain.newKey();
  const call = await prepareDirect(world, direct.shop, payerOf(account), 'bound');
  const id = call.paymentIntentId;
  const answer = await settleDirect(world, call);
  expect(answer).toMatchObject({ status: 'failed', error: 'insufficient_funds' });
  refused.answered(answer);
  await refused.shows(id, 'requires_payment');
  await refused.hears(id, CREATED);
  expect((await secretly(`/sdk/payments/intents/${id}/cancel`, direct.shop)).status).toBe(200);
  await flow.shows(id, 'canceled');
  await chain.mint(chain.tokens.usdc, account.address, PRICE);
  const moved = await submitDirectly(world, call);
  await flow.shows(id, 'canceled', ['mismatched']);
  await flow.hears(id, CREATED, 'payment_intent.canceled', ...MISMATCHED);
  const again = await settleDirect(world, call);
  expect(again).toMatchObject({ status: 'mismatched', payment: { status: 'mismatched' }, transactionId: moved });
  flow.answered(again);
});

/** Refunds as the merchant's backend does, and waits for the final block. */
async function refund(
  paymentId: string,
  amount?: bigint,
  { secretKey }: Pick<Shop, 'secretKey'> = refunding.shop,
  signer?: typeof world.merchant,
) {
  const svcPay = createSvcPay({ baseUrl: apiUrl, secretKey });
  const given = { paymentId, ...(amount !== undefined && { amount: amount.toString() }) };
  const refunded = await svcPay.refunds.refundWith(signer ?? refunding.shop.signer, given, { wait: true });
  expect(refunded).toMatchObject({ ok: true, refund: { status: 'completed' } });
}

test.concurrent('a refund in two parts', async () => {
  const flow = begin('Refunded in parts', refunding);
  const { paymentId, paymentIntentId: id } = await finalPayment(world, refunding.shop);
  await refund(paymentId, PRICE / 3n);
  await flow.shows(id, 'completed', ['completed']);
  await refund(paymentId);
  await flow.shows(id, 'completed', ['refunded']);
  const last = await flow.hears(id, ...PAID, 'payment.updated', 'payment.refunded');
  const whole = PRICE.toString();
  expect(last?.data.object).toMatchObject({ status: 'refunded', paidAmount: whole, refundedAmount: whole });
  expect(last?.data).not.toHaveProperty('previous_attributes');
});

test.concurrent('a refund of the whole', async () => {
  const flow = begin('Refunded at once', refunding);
  const payment = await finalPayment(world, refunding.shop);
  await refund(payment.paymentId);
  await flow.shows(payment.paymentIntentId, 'completed', ['refunded']);
  flow.answered(await settle(at(refunding.shop), payment));
  await flow.hears(payment.paymentIntentId, ...PAID, 'payment.refunded');
});

test.concurrent('a refund on Solana', async () => {
  const flow = begin('Refunded on Solana');
  const { paymentId, intentId: id } = await payFinally(world);
  await refund(paymentId, undefined, main.shop, world.merchant);
  await flow.shows(id, 'completed', ['refunded']);
  await flow.hears(id, ...PAID, 'payment.refunded');
});

test.concurrent('an intent that the merchant cancels', async () => {
  const flow = begin('Canceled by the merchant');
  const call = await prepare(world, await onePayer(world));
  const id = call.paymentIntentId;
  await flow.shows(id, 'requires_payment');
  expect((await secretly(`/sdk/payments/intents/${id}/cancel`)).status).toBe(200);
  await flow.shows(id, 'canceled');
  flow.answered(await settle(world, call));
  await flow.hears(id, CREATED, 'payment_intent.canceled');
});

test.concurrent('a cap that a stranger submits and the merchant releases', async () => {
  const flow = begin('Cap submitted by a stranger, then released');
  const call = await prepareUpto(world, await onePayer(world));
  const id = call.paymentIntentId;
  expect((await confirm(world, call)).body.ok).toBe(true);
  await flow.shows(id, 'requires_payment');
  await submitDirectly(world, call);
  const isHeld = async () =>
    (await database.pool.query('select from svc.stranded_transfers where intent_id = $1', [id])).rowCount === 1;
  await waitFor(isHeld, 60, 'held');
  expect((await release(world, id)).httpStatus).toBe(200);
  await flow.shows(id, 'canceled', ['canceled']);
  const released = [CREATED, 'x402_upto_authorization_received', 'payment_intent.canceled'];
  const last = await flow.hears(id, ...released, 'payment.created', 'payment.cancelled');
  expect(last?.data.object).toMatchObject({ status: 'canceled', transactionId: null, network: 'evm', token: 'USDC' });
});

/** Intents that end with their price, and how far one of them is paid. */
async function openShortLived() {
  const part = await openIntent(SHORT_LIVED, chain.tokens.vol);
  return { part, whole: await createIntent(world, SHORT_LIVED), endsAtMs: Date.now() + PRICE_LIFE_MS };
}

test('settlement stands still while payers empty their wallets and intents end', async () => {
  const failing = begin('The payer’s wallet is emptied meanwhile');
  const failed = begin('The same, and the intent expires meanwhile');
  const parted = begin('Underpaid, and signed for after expiry');
  // Where the flows before took long, other intents are needed.
  if (shortLived.endsAtMs - Date.now() < 20_000) shortLived = await openShortLived();
  const { part, whole, endsAtMs } = shortLived;
  const payer = async () => {
    const { account } = await chain.newKey();
    await chain.mint(chain.tokens.vol, account.address, 10n ** 18n);
    return payerOf(account);
  };
  await part.pay(BigInt(part.intent.accepts[0]?.maxAmountRequired ?? 0) / 2n);
  await parted.shows(part.id, 'mismatched', ['mismatched']);
  const [poor, other] = [await onePayer(world), await payer()];
  const payable = await prepare(world, poor);
  const over = await headerFor(whole, other);
  const tooLate = await headerFor(part.intent, await payer());
  await world.settlement.kill('SIGKILL');
  for (const [flow, call] of [
    [failing, payable],
    [failed, over],
  ] as const) {
    const answer = await settle(world, call);
    expect(answer).toMatchObject({ status: 'processing', paymentIntent: { status: 'processing' } });
    flow.answered(answer);
  }
  await chain.emptyWallet(chain.tokens.usdc, poor.address);
  await chain.emptyWallet(chain.tokens.vol, other.address);
  await waitFor(async () => Date.now() > endsAtMs, 70, 'the price is over');
  parted.answered(await settle(world, tooLate));
  await world.settlement.start();
  await failing.shows(payable.paymentIntentId, 'requires_payment', ['failed']);
  await failed.shows(over.paymentIntentId, 'failed', ['failed']);
  failing.answered(await settle(world, payable));
  failed.answered(await settle(world, over));
  const FAILED = [CREATED, 'payment.created', 'payment.failed'];
  await failing.hears(payable.paymentIntentId, ...FAILED);
  await failed.hears(over.paymentIntentId, ...FAILED);
  await parted.shows(part.id, 'canceled', ['mismatched']);
  await parted.hears(part.id, CREATED, ...MISMATCHED, 'payment_intent.canceled');
});

async function headerFor({ paymentIntentId, accepts }: PaymentRequired, payer: Payer): Promise<SettleCall> {
  const [paymentRequirements] = accepts;
  if (paymentRequirements === undefined) throw new Error('nothing is accepted');
  return {
    paymentIntentId,
    paymentHeader: await signHeader(payer, paymentRequirements),
    paymentRequirements,
  };
}

test('an intent that expires, and one that is paid after that', async () => {
  const flow = begin('Expired');
  const id = expiring.paymentIntentId;
  await flow.shows(id, 'canceled');
  await flow.hears(id, CREATED, 'payment_intent.canceled');
  const paidLate = begin('Paid after expiry');
  await paidLate.shows(late.paymentIntentId, 'canceled');
  await (await regularPayer(world)).pay(late.regular[0]);
  await paidLate.shows(late.paymentIntentId, 'canceled', ['mismatched']);
  await paidLate.hears(late.paymentIntentId, CREATED, 'payment_intent.canceled', ...MISMATCHED);
});

test('the flows together show every status and every event of the interface', async () => {
  const lines = table.lines();
  console.log(lines.join('\n'));
  expect(table.missing()).toEqual([]);
  await expect(flowsPage(lines)).toMatchFileSnapshot('../../docs/concepts/flows-and-statuses.md');
});
