// Refunds on Solana as a merchant's server asks for them, on a real database and Solana's own virtual machine.
import { getCompiledTransactionMessageDecoder, getTransactionDecoder, type KeyPairSigner } from '@solana/kit';
import { insertRow } from '@svc-pay/postgres/testing';
import { createdRefund, refundList, refundResponse } from '@svc-pay/protocol/merchant';
import { openNode } from '@svc-pay/solana';
import { drawActors, signAsWallet, startLiteChain } from '@svc-pay/solana/testing';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { CREATE, call } from '../../testing/call.ts';
import { playBroadcast, playCompletion, playFinality } from '../../testing/play-settlement.ts';
import { type Prepared, preparedOf, refundCalls, refusalOf } from '../../testing/refund-calls.ts';
import { NETWORKS } from '../../testing/seed-account.ts';
import { startTestApi } from '../../testing/start-test-api.ts';

const PRICE = 1_500_000n;
const network = 'solana:devnet';
const chain = await startLiteChain();
afterAll(() => chain.stop());
const { wallet, merchant, platform, stranger: relayer } = await drawActors();
chain.fundSol(relayer.address, 1_000_000_000n);
await chain.fundToken(platform, 0n);
const genesisHash = await openNode(chain.rpcUrl).genesisHash();
const cluster = { feeAccount: platform, ready: true, rpcUrls: [chain.rpcUrl], genesisHash };
let skippedMs = 0;
const api = await startTestApi(
  { SVC_NETWORKS: JSON.stringify({ ...NETWORKS, [network]: cluster }), SVC_SETTLE_WAIT_MS: '0' },
  { nowMs: () => Date.now() + skippedMs },
);
const { pool } = api.database;
const { accountId, keys } = api.account;
await insertRow(pool, 'payouts', {
  account_id: accountId,
  mode: 'test',
  network,
  payout_id: 7,
  processor: platform,
  merchant,
  fee_bps: 0,
  status: 'active',
});
await insertRow(pool, 'relayers', { network, address: relayer.address, mode: 'test', next_nonce: 0 });
const { create, submit, get, list, cancel, totalsOf } = refundCalls(api);

beforeEach(async () => {
  skippedMs = 0;
  await chain.fundToken(merchant, 10n * PRICE);
});

/** A payment that a lane would have sent: signed, claimed, and final by the hand of the test. */
async function payFinally() {
  const { payer } = await drawActors();
  await chain.fundToken(payer.address, PRICE);
  const key = keys.test.publishable;
  const asked = { usdAmount: '1.5', tokenShortcode: 'soldevnet_usdc' };
  const { paymentIntentId } = (await call(api, 'POST', CREATE, { key, body: asked })).json();
  const wanted = { paymentIntentId, publicKey: payer.address };
  const { transactionBase64 } = (
    await call(api, 'POST', '/sdk/public/payments/x402/prepare', { key, body: wanted })
  ).json();
  const signedTransactionBase64 = await signAsWallet(Buffer.from(transactionBase64, 'base64'), payer);
  const body = { paymentIntentId, signedTransactionBase64 };
  const answer = await call(api, 'POST', '/sdk/public/payments/x402/relay', { key, body });
  if (answer.json().status !== 'processing') throw new Error(answer.body);
  await playBroadcast(pool, paymentIntentId, { network, relayer: relayer.address });
  await playCompletion(pool, paymentIntentId);
  return { id: await playFinality(pool, paymentIntentId), payer };
}

const prepare = async (paymentId: string, body?: object) =>
  preparedOf(await create(paymentId, body), 'solana_transaction');
type Made = Prepared<'solana_transaction'>;
const wireOf = ({ sign }: Pick<Made, 'sign'>) => Uint8Array.from(Buffer.from(sign.transaction, 'base64'));
const signed = (made: Pick<Made, 'sign'>, signer: KeyPairSigner = wallet) => signAsWallet(wireOf(made), signer);
/** The chain carries out what the wallet signed, as a lane would have it. */
async function carryOut(made: Made, slots = 40n): Promise<void> {
  const byWallet = Uint8Array.from(Buffer.from(await signed(made), 'base64'));
  chain.ledger.execute(Uint8Array.from(Buffer.from(await signAsWallet(byWallet, relayer), 'base64')));
  chain.ledger.advance(slots);
}
const nobody = async () => (await drawActors()).payer.address as string;

describe('create', () => {
  test('answers a transaction to the payer that the relayer pays for, and reserves nothing', async () => {
    const payment = await payFinally();
    const made = await prepare(payment.id, { reason: 'Order 7 was returned' });
    expect(made.refund).toMatchObject({
      status: 'prepared',
      amount: PRICE.toString(),
      tokenShortcode: 'soldevnet_usdc',
      network: 'sol',
      chain: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
      from: merchant,
      to: payment.payer.address,
      transactionId: null,
    });
    const { signatures, messageBytes } = getTransactionDecoder().decode(wireOf(made));
    expect(signatures).toEqual({ [relayer.address]: null, [merchant]: null });
    expect(getCompiledTransactionMessageDecoder().decode(messageBytes).staticAccounts[0]).toBe(relayer.address);
    // A blockhash lives for a minute.
    expect(Date.parse(made.refund.expiresAt ?? '') - Date.now()).toBeLessThanOrEqual(55_000);
    expect(await totalsOf(payment.id)).toMatchObject({ refunded: '0', reserved: '0', last_sequence: 0 });
  });

  test.each([
    ['more than was paid', { amount: '1500001' }, 409, 'refund_exceeds_paid', 'amount'],
    ['a wallet of somebody else', { from: relayer.address }, 422, 'refund_wallet_unknown', 'from'],
    ['a recipient that is not needed', { refundTo: relayer.address }, 422, 'refund_to_not_needed', 'refundTo'],
    ['a recipient on another chain', { refundTo: `0x${'d3'.repeat(20)}` }, 400, 'malformed_request', 'refundTo'],
    [
      'a transaction of another chain',
      { transactionId: `0x${'ab'.repeat(32)}` },
      400,
      'malformed_request',
      'transactionId',
    ],
  ])('%s is refused', async (_, body, status, error, param) => {
    const payment = await payFinally();
    expect(refusalOf(await create(payment.id, body))).toMatchObject({ status, error, param });
  });

  test.each(['closed', 'frozen'] as const)(
    'a payer whose token account is %s needs refundTo: one that can receive, and no wallet of the account',
    async (how) => {
      const payment = await payFinally();
      await chain.blockToken(payment.payer.address, how);
      const needed = { status: 422, error: 'refund_recipient_needed' };
      for (const body of [{}, { refundTo: merchant }, { refundTo: await nobody() }])
        expect(refusalOf(await create(payment.id, body))).toMatchObject(needed);
      const refundTo = await nobody();
      await chain.fundToken(refundTo, 0n);
      const made = await prepare(payment.id, { refundTo });
      expect(made.refund.to).toBe(refundTo);
      expect((await submit(made.refund.id, { transaction: await signed(made) })).statusCode).toBe(202);
    },
  );

  test('a wallet without the money is told before anything is signed', async () => {
    const payment = await payFinally();
    await chain.fundToken(merchant, PRICE - 1n);
    expect(refusalOf(await create(payment.id))).toMatchObject({ status: 409, error: 'refund_insufficient_funds' });
    expect((await create(payment.id, { amount: '1499999' })).statusCode).toBe(201);
  });

  test('without a relayer that could pay, nothing is refused for good', async () => {
    const payment = await payFinally();
    await pool.query("update svc.relayers set status = 'draining' where network = $1", [network]);
    const answer = refusalOf(await create(payment.id));
    await pool.query("update svc.relayers set status = 'active' where network = $1", [network]);
    expect(answer).toMatchObject({ status: 503, error: 'chain_unavailable', retryable: true });
  });

  test('a refund that the chain has and the database lost is recorded, and nothing can be refunded beside it', async () => {
    const payment = await payFinally();
    const made = await prepare(payment.id, { amount: '400000' });
    await carryOut(made);
    await pool.query('delete from svc.refunds where id = $1', [made.refund.id]);
    expect(refusalOf(await create(payment.id))).toMatchObject({ status: 409, error: 'refund_found_on_chain' });
    const [found] = refundList.parse((await list(payment.id)).json()).data;
    expect(found).toMatchObject({ status: 'queued', amount: null });
    expect(await totalsOf(payment.id)).toMatchObject({ reserved: PRICE.toString(), last_sequence: 1 });
    expect(refusalOf(await create(payment.id))).toMatchObject({ error: 'refund_exceeds_paid' });
  });
});

describe('submit', () => {
  test('reserves the amount and queues the refund; the same transaction again answers the same', async () => {
    const payment = await payFinally();
    const made = await prepare(payment.id, { amount: '500000' });
    const transaction = await signed(made);
    const first = await submit(made.refund.id, { transaction });
    expect(first.statusCode).toBe(202);
    expect(refundResponse.parse(first.json()).refund).toMatchObject({ status: 'queued', amount: '500000' });
    const answers = await Promise.all(Array.from({ length: 8 }, () => submit(made.refund.id, { transaction })));
    for (const again of answers) expect([again.statusCode, again.body]).toEqual([202, first.body]);
    expect((await get(made.refund.id)).body).toBe(first.body);
    expect(await totalsOf(payment.id)).toMatchObject({ reserved: '500000', last_sequence: 1 });
    expect(refusalOf(await cancel(made.refund.id))).toMatchObject({ status: 409, error: 'refund_not_cancelable' });
  });

  test('what the wallet did not sign, or was not asked to, is refused, and reserves nothing', async () => {
    const payment = await payFinally();
    const [made, other] = [await prepare(payment.id), await prepare(payment.id, { amount: '500000' })];
    const unsigned = made.sign.transaction;
    const wrong = [unsigned, await signed(made, relayer), await signed(other), `${unsigned.slice(0, -8)}AAAAAAA=`];
    for (const transaction of wrong)
      expect(refusalOf(await submit(made.refund.id, { transaction }))).toMatchObject({
        status: 422,
        error: 'refund_signature_invalid',
      });
    expect(await totalsOf(payment.id)).toMatchObject({ reserved: '0', last_sequence: 0 });
    expect((await get(made.refund.id)).json().refund.status).toBe('prepared');
  });

  test('without a transaction, or with a signature instead, the field is named', async () => {
    const { refund } = await prepare((await payFinally()).id);
    for (const body of [{}, { signature: `0x${'11'.repeat(65)}` }, { transaction: null }])
      expect(refusalOf(await submit(refund.id, body))).toMatchObject({
        error: 'malformed_request',
        param: 'transaction',
      });
  });

  test('what names a relayer that is retired, or whose time is over, is not taken', async () => {
    const payment = await payFinally();
    const made = await prepare(payment.id);
    const transaction = await signed(made);
    await pool.query("update svc.relayers set status = 'retired' where network = $1", [network]);
    const orphan = refusalOf(await submit(made.refund.id, { transaction }));
    await pool.query("update svc.relayers set status = 'active' where network = $1", [network]);
    skippedMs = 60_000;
    const late = refusalOf(await submit(made.refund.id, { transaction }));
    for (const answer of [orphan, late]) expect(answer).toMatchObject({ status: 409, error: 'refund_canceled' });
    expect(await totalsOf(payment.id)).toMatchObject({ reserved: '0', last_sequence: 0 });
  });

  test('of two refunds with one nonce the second is not taken while the first is on its way, whatever the database forgot', async () => {
    const payment = await payFinally();
    const [made, other] = [await prepare(payment.id, { amount: '400000' }), await prepare(payment.id)];
    await carryOut(made, 1n);
    const transaction = await signed(other);
    const unknown = { status: 503, error: 'chain_unavailable', retryable: true };
    for (const answer of [await submit(other.refund.id, { transaction }), await create(payment.id)])
      expect(refusalOf(answer)).toMatchObject(unknown);
    chain.ledger.advance(40n);
    const answer = await submit(other.refund.id, { transaction });
    expect(refusalOf(answer)).toMatchObject({ status: 409, error: 'refund_found_on_chain' });
    expect(await totalsOf(payment.id)).toMatchObject({ reserved: PRICE.toString(), last_sequence: 1 });
  });
});

test('a transfer that the merchant made is recorded to be proven, and counts once', async () => {
  const payment = await payFinally();
  const transactionId = '5'.repeat(88);
  const { refund, sign } = createdRefund.parse((await create(payment.id, { transactionId })).json());
  expect(sign).toBeNull();
  expect(refund).toMatchObject({ status: 'queued', amount: null, transactionId, to: payment.payer.address });
  const again = createdRefund.parse((await create(payment.id, { transactionId })).json());
  expect(again.refund.id).toBe(refund.id);
  expect(await totalsOf(payment.id)).toMatchObject({ reserved: PRICE.toString(), last_sequence: 0 });
});
