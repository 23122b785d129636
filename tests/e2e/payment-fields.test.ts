// Every flow, every event and every field that a payment has beyond the interface's own: none is null where it is known, and the
// status answer, the stream and the answers to settle say the same as the events.
import { ERRORS } from '@svc-pay/protocol/errors';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDirectShop, prepareDirect, readerHasToken, settleDirect } from './direct-shop.ts';
import { eventsOf, onePayer } from './follow-payment.ts';
import { ledgerCheck } from './ledger-check.ts';
import { waitFor } from './many-payments.ts';
import type { Shop } from './open-shop.ts';
import { EARNINGS, FIELDS, wrongFields } from './payment-fields.ts';
import { DIVIDED, newIntent, newPayer, relay, signFor, startSolanaWorld } from './solana-world.ts';
import { submitDirectly } from './stranger.ts';
import { confirm, prepareUpto, settleUpto } from './upto-calls.ts';
import { payerOf, prepare, settle, signHeader } from './wallet.ts';

const SOLANA = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1';
const explorer = (chain: string) => `https://explorer.example/${chain}/tx/{transactionId}?from=shop`;

const world = await startSolanaWorld(DIVIDED, {
  network: { explorerUrl: explorer('anvil') },
  cluster: { explorerUrl: explorer('solana') },
  rpcUrls: async (url) => [url, url.replace('127.0.0.1', 'localhost')],
  settlement: { SVC_READER_EVERY_MS: '200', SVC_READER_CLAIM_MS: '500' },
});
const { chain, shop, apiUrl, recipients } = world;

afterAll(async () => {
  const checked = await ledgerCheck(world);
  await world.stop();
  expect(checked).toMatchObject({ exitCode: 0 });
}, 60_000);

type Shown = Readonly<Record<string, unknown>>;
/** How an intent and its payment are shown, and to whom. */
type Told = { readonly intent: Shown; readonly intentEvents: readonly Shown[]; readonly events: readonly Shown[] };

const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });

async function statusOf(id: string, key: string): Promise<{ paymentIntent: Shown; payment: Shown }> {
  const response = await fetch(`${apiUrl}/sdk/public/payments/intents/${id}`, bearer(key));
  return (await response.json()) as { paymentIntent: Shown; payment: Shown };
}

async function streamOf(id: string, key: string): Promise<{ payment: Shown }> {
  const response = await fetch(`${apiUrl}/sdk/public/payments/intents/${id}/stream`, bearer(key));
  const data = /^data: (.*)$/m.exec(await response.text())?.[1] ?? 'null';
  return JSON.parse(data) as { payment: Shown };
}

const fieldsOf = (payment: Shown, without: readonly string[] = []) =>
  Object.fromEntries(FIELDS.filter((field) => !without.includes(field)).map((field) => [field, payment[field]]));
const isPayment = (type: string) => type.startsWith('payment.');

/** Waits for the last event, and checks what every flow has in common: these types are told in this order. */
async function follow(id: string, types: readonly string[], { secretKey, publishableKey }: Shop = shop): Promise<Told> {
  const heard = () => eventsOf(world, { paymentIntentId: id } as Parameters<typeof eventsOf>[1]);
  const lastType = types.at(-1);
  await waitFor(async () => (await heard()).some(({ type }) => type === lastType), 40, `${lastType} of ${id}`);
  const all = await heard();
  expect(all.map(({ type }) => type).filter((type) => types.includes(type))).toEqual(types);
  const events = all.filter(({ type }) => isPayment(type)).map(({ data }) => data.object);
  for (const payment of events) expect(wrongFields(payment)).toEqual([]);
  const { payment, paymentIntent: intent } = await statusOf(id, secretKey);
  await expectOthersSayTheSame(id, payment, events, { secretKey, publishableKey });
  return { intent, intentEvents: all.filter(({ type }) => !isPayment(type)).map(({ data }) => data.object), events };
}

/** The last event of the intent's payment, the status answer and the stream. A publishable key does not see what is earned. */
async function expectOthersSayTheSame(
  id: string,
  payment: Shown,
  events: readonly Shown[],
  { secretKey, publishableKey }: Pick<Shop, 'secretKey' | 'publishableKey'>,
): Promise<void> {
  const last = events.findLast((event) => event['id'] === payment['id']) ?? {};
  expect(fieldsOf(payment)).toEqual(fieldsOf(last));
  const shown = (await statusOf(id, publishableKey)).payment;
  expect(fieldsOf(shown, EARNINGS)).toEqual(fieldsOf(payment, EARNINGS));
  for (const field of EARNINGS) expect(shown).not.toHaveProperty(field);
  // The stream of an intent that is not over goes on.
  if (payment['status'] !== 'completed') return;
  expect((await streamOf(id, secretKey)).payment).toEqual(payment);
  expect((await streamOf(id, publishableKey)).payment).toEqual(shown);
}

const splitsOf = (...amounts: readonly string[]) =>
  shop.splits.map(({ to }, index) => ({ recipient: to.toLowerCase(), amount: amounts[index] }));
const onAnvil = (payer: string) => ({
  payer: payer.toLowerCase(),
  chain: chain.network,
  tokenShortcode: 'anvil_usdc',
  decimals: 6,
  rate: '1',
  failureCode: null,
  failureMessage: null,
});
const anvilUrl = (transactionId: unknown) => `https://explorer.example/anvil/tx/${String(transactionId)}?from=shop`;
const PAID = ['payment_intent.created', 'payment.created', 'payment.completed'];

test('exact, for an intent of a secret key in smallest units', async () => {
  const payer = await onePayer(world);
  const bySecret = { apiUrl, shop: { ...shop, publishableKey: shop.secretKey } };
  const call = await prepare(bySecret, payer, { amount: '1500000', tokenShortcode: 'anvil_usdc' });
  const settled = await settle(world, call);
  const { events, intent, intentEvents } = await follow(call.paymentIntentId, PAID);
  expect(events.at(-1)).toMatchObject({
    ...onAnvil(payer.address),
    amountUsd: '1.5',
    feeAmount: '15000',
    splits: splitsOf('150000', '4950'),
    netAmount: '1330050',
    returnedAmount: '0',
    refundedAmount: '0',
    explorerUrl: anvilUrl(settled.transactionId),
  });
  for (const shown of [intent, ...intentEvents])
    expect(shown).toMatchObject({ amountUsd: '1.5', tokens: ['anvil_usdc'], createdWith: 'secret' });
  const answered = settled.payment as unknown as Shown;
  expect(fieldsOf(answered, EARNINGS)).toEqual(fieldsOf(events.at(-1) ?? {}, EARNINGS));
  for (const field of EARNINGS) expect(answered).not.toHaveProperty(field);
});

test('exact, in a token with a price, for an intent that offers several', async () => {
  const { account } = await chain.newKey();
  await chain.mint(chain.tokens.vol, account.address, 10n ** 18n);
  const payer = payerOf(account);
  const several = await prepare(world, payer, { usdAmount: '1', expectedSenderPrincipal: account.address });
  const shown = (await statusOf(several.paymentIntentId, shop.publishableKey)).paymentIntent;
  expect(shown).toMatchObject({ amountUsd: '1', createdWith: 'publishable' });
  expect(shown['tokens']).toEqual(expect.arrayContaining(['anvil_usdc', 'anvil_vol', 'soldevnet_usdc']));
  const body = { usdAmount: '1', tokenShortcode: 'anvil_vol', expectedSenderPrincipal: account.address };
  const call = await prepare(world, payer, body);
  await settle(world, call);
  const { events, intent } = await follow(call.paymentIntentId, PAID);
  expect(events.at(-1)).toMatchObject({
    ...onAnvil(payer.address),
    tokenShortcode: 'anvil_vol',
    decimals: 18,
    rate: '2.5',
    amountUsd: '1',
    feeAmount: '4000000000000000',
    splits: splitsOf('40000000000000000', '1320000000000000'),
    netAmount: '354680000000000000',
  });
  expect(intent).toMatchObject({ amountUsd: '1', tokens: ['anvil_vol'], createdWith: 'publishable' });
});

test('Solana', async () => {
  const payer = await newPayer(world);
  const { id } = await newIntent(world);
  const { transactionId } = await relay(world, id, await signFor(world, id, payer));
  const { events, intent } = await follow(id, PAID);
  const [, ten, third] = recipients;
  expect(events.at(-1)).toMatchObject({
    payer: payer.address,
    chain: SOLANA,
    tokenShortcode: 'soldevnet_usdc',
    decimals: 6,
    rate: '1',
    amountUsd: '1.5',
    feeAmount: '15000',
    splits: [
      { recipient: ten, amount: '150000' },
      { recipient: third, amount: '4950' },
    ],
    netAmount: '1330050',
    returnedAmount: '0',
    refundedAmount: '0',
    explorerUrl: `https://explorer.example/solana/tx/${transactionId}?from=shop`,
  });
  expect(intent).toMatchObject({ amountUsd: '1.5', tokens: ['soldevnet_usdc'], createdWith: 'publishable' });
});

test('up-to', async () => {
  const payer = await onePayer(world);
  const call = await prepareUpto(world, payer);
  const { paymentIntentId } = call;
  await confirm(world, call);
  const { body } = await settleUpto(world, { paymentIntentId, settledAmount: '1234' });
  const types = ['payment_intent.created', 'x402_upto_authorization_received', 'payment.created', 'payment.completed'];
  const { events, intent, intentEvents } = await follow(paymentIntentId, types);
  expect(events.at(-1)).toMatchObject({
    ...onAnvil(payer.address),
    amountUsd: '0.001234',
    feeAmount: '12',
    splits: splitsOf('123', '4'),
    netAmount: '1095',
    returnedAmount: '4998766',
    refundedAmount: '0',
    explorerUrl: anvilUrl(body.transactionId),
  });
  // The answer to a secret key has everything.
  expect(fieldsOf(body.payment ?? {})).toEqual(fieldsOf(events.at(-1) ?? {}));
  expect(intentEvents.map(({ amountUsd }) => amountUsd)).toEqual(['5', 5]);
  for (const shown of [intent, ...intentEvents])
    expect(shown).toMatchObject({ tokens: ['anvil_usdc'], createdWith: 'publishable' });
});

test('failed', async () => {
  const payer = await onePayer(world);
  const call = await prepare(world, payer);
  await world.settlement.kill('SIGKILL');
  const settling = settle(world, call);
  const claimed = 'select from svc.payments where intent_id = $1';
  const isClaimed = async () => (await world.database.pool.query(claimed, [call.paymentIntentId])).rowCount === 1;
  await waitFor(isClaimed, 20, 'claimed');
  await chain.emptyWallet(chain.tokens.usdc, payer.address);
  await world.settlement.start();
  await settling;
  const { events } = await follow(call.paymentIntentId, [
    'payment_intent.created',
    'payment.created',
    'payment.failed',
  ]);
  expect(events.at(-1)).toMatchObject({
    ...onAnvil(payer.address),
    amountUsd: '1.5',
    feeAmount: '0',
    splits: [],
    netAmount: '0',
    returnedAmount: '0',
    refundedAmount: '0',
    failureCode: 'insufficient_funds',
    failureMessage: ERRORS.insufficient_funds.message,
  });
});

let wallet: Awaited<ReturnType<typeof openDirectShop>>;
beforeAll(async () => {
  wallet = await openDirectShop(world, 'exclusive');
  await readerHasToken(world);
});
const NOTHING_TAKEN = { feeAmount: '0', splits: [], netAmount: '1500000', returnedAmount: '0', refundedAmount: '0' };

test('direct, by our relayer and by somebody else', async () => {
  const payer = await onePayer(world);
  const call = await prepareDirect(world, wallet, payer, 'bound');
  const { transactionId } = await settleDirect(world, call);
  const foreign = await prepareDirect(world, wallet, payer, 'bound');
  const paid = [
    { id: call.paymentIntentId, transactionId },
    { id: foreign.paymentIntentId, transactionId: await submitDirectly(world, foreign) },
  ];
  for (const { id, transactionId: of } of paid) {
    const { events } = await follow(id, PAID, wallet);
    expect(events.at(-1)).toMatchObject({
      ...onAnvil(payer.address),
      ...NOTHING_TAKEN,
      amountUsd: '1.5',
      explorerUrl: anvilUrl(of),
    });
  }
});

test('mismatched: money that came after another had paid', async () => {
  const { account } = await chain.newKey();
  const late = await prepareDirect(world, wallet, payerOf(account), 'bound');
  expect(await settleDirect(world, late)).toMatchObject({ status: 'failed', error: 'insufficient_funds' });
  const paymentHeader = await signHeader(await onePayer(world), late.paymentRequirements);
  await settleDirect(world, { ...late, paymentHeader });
  await follow(late.paymentIntentId, PAID, wallet);
  await chain.mint(chain.tokens.usdc, account.address, 1_500_000n);
  const transactionId = await submitDirectly(world, late);
  const { events } = await follow(late.paymentIntentId, [...PAID, 'payment.created', 'payment.updated'], wallet);
  expect(events.at(-1)).toMatchObject({
    ...onAnvil(account.address),
    ...NOTHING_TAKEN,
    status: 'mismatched',
    amountUsd: '1.5',
    explorerUrl: anvilUrl(transactionId),
  });
});

test('the rows of all these payments have the rate, and the amounts where the money moved: a list reads nothing else', async () => {
  const { rows } = await world.database.pool.query<{ status: string; row: object }>(
    `select status, json_strip_nulls(json_build_object(
       'rate', usd_per_token_atto, 'fee', fee_amount, 'refund', refund_amount, 'splits', splits)) as row
     from svc.payments`,
  );
  expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['completed', 'failed', 'mismatched']));
  for (const { status, row } of rows)
    expect(Object.keys(row)).toEqual(status === 'failed' ? ['rate'] : ['rate', 'fee', 'refund', 'splits']);
});
