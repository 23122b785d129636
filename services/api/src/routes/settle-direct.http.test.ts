// Payments to the merchant's own wallet: what is offered, claimed, refused and kept. No contract refuses a second payment
// here, so the rows must.
import { settleResponse } from '@svc-pay/protocol';
import { directNonce, readDirectTerms } from '@svc-pay/protocol/direct-nonce';
import type { Hex } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import { activateWallet, DIRECT_SETTINGS } from '../testing/activate-wallet.ts';
import { call, intentPath, SETTLE } from '../testing/call.ts';
import { USDC } from '../testing/payment-chain.ts';
import { type HeaderChange, newPayer, signHeader } from '../testing/sign-header.ts';
import { type PayableIntent, startPayableApi } from '../testing/start-payable-api.ts';

const api = await startPayableApi(DIRECT_SETTINGS);
const { pool } = api.database;
const key = api.account.keys.test.publishable;
const { activation } = await activateWallet(api);
const payer = newPayer();
await api.chain.mint(USDC, payer.address, 10n ** 12n);

const seconds = (offset: number) => String(Math.floor(Date.now() / 1_000) + offset);
const send = (id: string, paymentHeader: string) =>
  call(api, 'POST', SETTLE, { key, body: { paymentIntentId: id, paymentHeader } });
const settle = async ({ id, acceptance }: PayableIntent, change: HeaderChange = {}, signer = payer) =>
  (await send(id, await signHeader(signer, acceptance, change))).json();
const rows = async (table: string, id: string) =>
  (await pool.query(`select * from svc.${table} where intent_id = $1 order by created_at`, [id])).rows;
const statusOf = async (id: string) => (await call(api, 'GET', intentPath(id), { key })).json().paymentIntent.status;
const cancel = (id: string) => pool.query("update svc.intents set status = 'canceled' where id = $1", [id]);

const boundNonceOf = ({ acceptance }: PayableIntent, change: object = {}): Hex => {
  const terms = readDirectTerms({ ...acceptance.extra?.svc?.terms, ...change });
  if (terms === undefined) throw new Error('no direct terms are offered');
  return directNonce(terms);
};
const bound = (intent: PayableIntent, change: object = {}): HeaderChange => ({ nonce: boundNonceOf(intent, change) });
const funded = async (value: bigint): Promise<PrivateKeyAccount> => {
  const one = newPayer();
  if (value > 0n) await api.chain.mint(USDC, one.address, value);
  return one;
};

describe('a header to the wallet', () => {
  test('with the bound nonce is claimed as bound, at a block below every reorg', async () => {
    const intent = await api.newIntent();
    expect(await settle(intent, bound(intent))).toMatchObject({ status: 'processing' });
    const [signed] = await rows('authorizations', intent.id);
    expect(signed).toMatchObject({ direct: true, bound: true, recipient: activation.wallet });
    const head = await api.chain.client.getBlockNumber({ cacheTime: 0 });
    expect(BigInt(signed.unused_at_block)).toBe(head > 1_024n ? head - 1_024n : 0n);
    expect(await rows('settlements', intent.id)).toMatchObject([{ direct: true, status: 'queued' }]);
  });
  test('with a random nonce, as a stock client signs it, is claimed as unbound', async () => {
    const intent = await api.newIntent();
    expect(await settle(intent)).toMatchObject({ status: 'processing' });
    expect(await rows('authorizations', intent.id)).toMatchObject([{ direct: true, bound: false }]);
  });
  test('of a contract wallet is claimed, to be sent with its signature as bytes', async () => {
    const { address } = await funded(10_000_000n);
    await api.chain.client.setCode({ address, bytecode: '0x631626ba7e60e01b60005260206000f3' });
    const intent = await api.newIntent();
    const signature: Hex = `0x${'ab'.repeat(300)}`;
    const change = { from: address, signature, ...bound(intent) };
    expect(await settle(intent, change)).toMatchObject({ status: 'processing' });
    expect(await rows('authorizations', intent.id)).toMatchObject([{ direct: true, by_contract: true }]);
  });
  test('of another attempt at the same intent is bound too', async () => {
    const intent = await api.newIntent();
    expect(await settle(intent, bound(intent, { attempt: 7 }))).toMatchObject({ status: 'processing' });
    expect(await rows('authorizations', intent.id)).toMatchObject([{ bound: true }]);
  });
  test('64 at once: one claim, one payment, nothing refused', async () => {
    const intent = await api.newIntent();
    const header = await signHeader(payer, intent.acceptance, bound(intent));
    const answers = await Promise.all(Array.from({ length: 64 }, () => send(intent.id, header)));
    for (const answer of answers) expect(answer.json()).toMatchObject({ status: 'processing' });
    for (const table of ['claims', 'payments', 'settlements', 'authorizations'])
      expect(await rows(table, intent.id)).toHaveLength(1);
    expect(await rows('refused_authorizations', intent.id)).toEqual([]);
    expect(await rows('attempts', intent.id)).toEqual([]);
  });
});

describe('is refused by name', () => {
  const cases: [string, string, (intent: PayableIntent) => HeaderChange][] = [
    ['amount_mismatch', 'one unit more', () => ({ authorization: { value: '1500001' } })],
    ['recipient_mismatch', 'another wallet', () => ({ authorization: { to: payer.address } })],
    ['invalid_signature', 'nobody signed', () => ({ signature: `0x${'11'.repeat(65)}` })],
    ['acceptance_mismatch', 'bound to another amount', (intent) => bound(intent, { amount: '1' })],
    ['acceptance_mismatch', 'bound to another wallet', (intent) => bound(intent, { wallet: payer.address })],
    ['acceptance_mismatch', 'bound in another mode', (intent) => bound(intent, { mode: 'live' })],
    [
      'acceptance_mismatch',
      'bound with a made-up hash',
      (intent) => ({
        nonce: `${boundNonceOf(intent).slice(0, 34)}${'ab'.repeat(16)}` as Hex,
      }),
    ],
    ['acceptance_mismatch', 'tagged for a processor', () => ({ nonce: `0x737663706179${'00'.repeat(26)}` })],
  ];
  test.each(cases)('%s, and is not watched: %s', async (error, _, changeOf) => {
    const intent = await api.newIntent();
    expect(await settle(intent, changeOf(intent))).toMatchObject({ status: 'failed', error });
    expect(await rows('refused_authorizations', intent.id)).toEqual([]);
    expect(await statusOf(intent.id)).toBe('requires_payment');
  });
  test('signed so that only the wallet itself could submit it', async () => {
    const intent = await api.newIntent();
    const header = await signHeader(payer, intent.acceptance, { primaryType: 'ReceiveWithAuthorization' });
    expect((await send(intent.id, header)).json()).toMatchObject({ status: 'failed', error: 'invalid_signature' });
    expect(await rows('refused_authorizations', intent.id)).toEqual([]);
  });
});

describe('validly signed and refused: kept to be watched, and the intent is not changed', () => {
  const cases: [string, HeaderChange['authorization']][] = [
    ['authorization_window_too_long', { validBefore: seconds(86_400) }],
    ['authorization_expired', { validBefore: seconds(5) }],
    ['authorization_not_yet_valid', { validAfter: seconds(200) }],
  ];
  test.each(cases)('%s', async (error, authorization = {}) => {
    const intent = await api.newIntent();
    expect(await settle(intent, { authorization })).toMatchObject({ status: 'failed', error });
    expect(await rows('refused_authorizations', intent.id)).toMatchObject([
      { code: error, funded: true, bound: false, payer: payer.address.toLowerCase(), amount: '1500000' },
    ]);
    expect(await statusOf(intent.id)).toBe('requires_payment');
  });
  test('two minutes more than asked is the longest window', async () => {
    const intent = await api.newIntent();
    const late = await settle(intent, { authorization: { validBefore: seconds(430) } });
    expect(late).toMatchObject({ status: 'failed', error: 'authorization_window_too_long' });
    expect(await settle(intent, { authorization: { validBefore: seconds(415) } })).toMatchObject({
      status: 'processing',
    });
  });
  test('for an intent that has ended', async () => {
    const intent = await api.newIntent();
    await cancel(intent.id);
    const answer = await settle(intent, bound(intent));
    expect(answer).toMatchObject({ status: 'failed', error: 'intent_not_payable' });
    expect(settleResponse.safeParse(answer).success).toBe(true);
    expect(await rows('refused_authorizations', intent.id)).toMatchObject([
      { code: 'intent_not_payable', funded: true, bound: true },
    ]);
  });
  test('for an intent that another payment has: the answer says so, and the second signature is watched', async () => {
    const intent = await api.newIntent();
    await settle(intent, bound(intent));
    const second = await funded(10_000_000n);
    expect(await settle(intent, bound(intent), second)).toMatchObject({ status: 'processing' });
    expect(await rows('payments', intent.id)).toHaveLength(1);
    expect(await rows('refused_authorizations', intent.id)).toMatchObject([
      { code: 'intent_not_payable', funded: true, payer: second.address.toLowerCase() },
    ]);
  });
  test('from an unexpected sender', async () => {
    const intent = await api.newIntent({ expectedSenderPrincipal: newPayer().address });
    expect(await settle(intent, bound(intent))).toMatchObject({ status: 'failed', error: 'sender_mismatch' });
    expect(await rows('refused_authorizations', intent.id)).toMatchObject([{ code: 'sender_mismatch' }]);
  });
  test('from an empty wallet; once it has the money the same header pays', async () => {
    const intent = await api.newIntent();
    const poor = await funded(1_499_999n);
    const header = await signHeader(poor, intent.acceptance, bound(intent));
    for (let again = 0; again < 3; again += 1)
      expect((await send(intent.id, header)).json()).toMatchObject({ status: 'failed', error: 'insufficient_funds' });
    expect(await rows('refused_authorizations', intent.id)).toMatchObject([{ funded: false }]);
    await api.chain.mint(USDC, poor.address, 1n);
    expect((await send(intent.id, header)).json()).toMatchObject({ status: 'processing' });
  });
  test('of wallets without money an intent keeps twenty; of others all', async () => {
    const intent = await api.newIntent();
    for (let count = 0; count < 25; count += 1)
      expect(await settle(intent, {}, newPayer())).toMatchObject({ error: 'insufficient_funds' });
    expect(await rows('refused_authorizations', intent.id)).toHaveLength(20);
    const authorization = { validBefore: seconds(86_400) };
    await settle(intent, { authorization });
    await settle(intent, { authorization });
    expect(await rows('refused_authorizations', intent.id)).toHaveLength(22);
  });
  test('twenty are kept also when they come at once', async () => {
    const intent = await api.newIntent();
    await Promise.all(Array.from({ length: 30 }, () => settle(intent, {}, newPayer())));
    expect(await rows('refused_authorizations', intent.id)).toHaveLength(20);
  });
  test('a chain that can’t be asked refuses nothing: the client is told to come again', async () => {
    const intent = await api.newIntent();
    await cancel(intent.id);
    await api.chain.client.setCode({ address: USDC, bytecode: '0x' });
    const header = await signHeader(payer, intent.acceptance, bound(intent));
    const response = await send(intent.id, header);
    await api.chain.restoreTokens();
    expect(response.statusCode).toBe(503);
    // A stranger may have submitted it.
    expect(response.json()).toMatchObject({ error: 'chain_unavailable', moneyMoved: 'unknown' });
    await send(intent.id, header);
    expect(await rows('refused_authorizations', intent.id)).toHaveLength(1);
  });
});

describe('one authorization for two intents of the same amount', () => {
  test('a bound one pays its own, and is nothing to the other', async () => {
    const [first, second] = [await api.newIntent(), await api.newIntent()];
    const header = await signHeader(payer, first.acceptance, bound(first));
    expect((await send(second.id, header)).json()).toMatchObject({ status: 'failed', error: 'acceptance_mismatch' });
    expect(await rows('refused_authorizations', second.id)).toEqual([]);
    expect((await send(first.id, header)).json()).toMatchObject({ status: 'processing' });
  });
  test('an unbound one pays one of them, whichever claims first, also at once', async () => {
    const intents = [await api.newIntent(), await api.newIntent()] as const;
    const header = await signHeader(payer, intents[0].acceptance);
    const answers = await Promise.all(intents.map(async ({ id }) => (await send(id, header)).json()));
    expect(answers.map(({ status }) => status)).toEqual(expect.arrayContaining(['failed', 'processing']));
    expect(answers.find(({ status }) => status === 'failed')).toMatchObject({ error: 'authorization_bound_elsewhere' });
    const claims = await Promise.all(intents.map(({ id }) => rows('claims', id)));
    expect(claims.flat()).toHaveLength(1);
    for (const { id } of intents) expect(await rows('refused_authorizations', id)).toEqual([]);
  });
  test('one that is claimed is not watched for an ended intent as well', async () => {
    const [first, ended] = [await api.newIntent(), await api.newIntent()];
    const header = await signHeader(payer, first.acceptance);
    await send(first.id, header);
    await cancel(ended.id);
    expect((await send(ended.id, header)).json()).toMatchObject({ error: 'intent_not_payable' });
    expect(await rows('refused_authorizations', ended.id)).toEqual([]);
  });
});

describe('an authorization that the token has seen before us', () => {
  test('unbound, bought something elsewhere: refused, and nothing to watch', async () => {
    const intent = await api.newIntent();
    const header = await signHeader(payer, intent.acceptance);
    await api.chain.useAuthorization(header);
    expect((await send(intent.id, header)).json()).toMatchObject({ error: 'authorization_already_used' });
    expect(await rows('refused_authorizations', intent.id)).toEqual([]);
    expect(await statusOf(intent.id)).toBe('requires_payment');
  });
  test('used before the intent existed, it does not pay it', async () => {
    const older = await api.newIntent();
    const header = await signHeader(payer, older.acceptance);
    await api.chain.useAuthorization(header);
    const intent = await api.newIntent();
    expect((await send(intent.id, header)).json()).toMatchObject({ error: 'authorization_already_used' });
  });
  test('bound, is claimed without being queued: the logs of the token complete it', async () => {
    const intent = await api.newIntent();
    const header = await signHeader(payer, intent.acceptance, bound(intent));
    await api.chain.useAuthorization(header);
    expect((await send(intent.id, header)).json()).toMatchObject({ status: 'processing' });
    expect(await rows('settlements', intent.id)).toMatchObject([{ status: 'held', refusal: null, direct: true }]);
    expect((await send(intent.id, header)).json()).toMatchObject({ status: 'processing' });
    expect(await rows('settlements', intent.id)).toMatchObject([{ status: 'held' }]);
  });
});

describe('a payment that the chain refused', () => {
  const refuse = (id: string, secondsAgo = 6) =>
    pool.query(
      `update svc.settlements set status = 'held', refusal = 'insufficient_funds', updated_at = now() - $2 * interval '1 s'
       where intent_id = $1`,
      [id, secondsAgo],
    );
  test('stays processing with the reason told, and its header queues it again', async () => {
    const intent = await api.newIntent();
    const header = await signHeader(payer, intent.acceptance, bound(intent));
    await send(intent.id, header);
    await refuse(intent.id);
    const answer = (await send(intent.id, header)).json();
    expect(answer).toMatchObject({ status: 'processing', error: 'insufficient_funds' });
    expect(settleResponse.safeParse(answer).success).toBe(true);
    expect(await rows('settlements', intent.id)).toMatchObject([{ status: 'queued' }]);
    expect(await statusOf(intent.id)).toBe('processing');
  });
  test('is not queued again within five seconds of its refusal', async () => {
    const intent = await api.newIntent();
    const header = await signHeader(payer, intent.acceptance, bound(intent));
    await send(intent.id, header);
    await refuse(intent.id, 0);
    expect((await send(intent.id, header)).json()).toMatchObject({ status: 'processing' });
    expect(await rows('settlements', intent.id)).toMatchObject([{ status: 'held', refusal: 'insufficient_funds' }]);
  });
  test('is not queued by another header, which finds the intent taken', async () => {
    const intent = await api.newIntent();
    await settle(intent, bound(intent));
    await refuse(intent.id);
    expect(await settle(intent)).toMatchObject({ status: 'processing' });
    expect(await rows('settlements', intent.id)).toMatchObject([{ status: 'held' }]);
  });
});
