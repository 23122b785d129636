// Refunds as a merchant's server asks for them, on a real database and a real chain.
import { createdRefund, refundList, refundResponse } from '@svc-pay/protocol/merchant';
import { type RefundNonceTerms, refundNonce } from '@svc-pay/protocol/refund-nonce';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { describe, expect, test } from 'vitest';
import { activateWallet, DIRECT_SETTINGS } from '../../testing/activate-wallet.ts';
import { call } from '../../testing/call.ts';
import { payFinally } from '../../testing/pay-finally.ts';
import { USDC } from '../../testing/payment-chain.ts';
import {
  type Prepared,
  preparedOf,
  refundCalls,
  refusalOf,
  signatureOf as signedBy,
} from '../../testing/refund-calls.ts';
import { addKey, PEPPER, seedAccount } from '../../testing/seed-account.ts';
import { startPayableApi } from '../../testing/start-payable-api.ts';

const api = await startPayableApi(DIRECT_SETTINGS);
const { pool } = api.database;
const { wallet: walletKey } = await activateWallet(api);
const wallet = privateKeyToAccount(walletKey.privateKey);
const stranger = privateKeyToAccount(generatePrivateKey());

const { create, submit, get, list, cancel, totalsOf } = refundCalls(api);
const prepare = async (paymentId: string, body?: object) => preparedOf(await create(paymentId, body), 'evm_typed_data');
const signatureOf = (made: Pick<Prepared<'evm_typed_data'>, 'sign'>, signer = wallet) => signedBy(made, signer);
/** The token carries out what the wallet signed, as a lane would have it. */
async function carryOut({ sign }: Prepared<'evm_typed_data'>): Promise<void> {
  const { message: authorization } = sign.typedData;
  const payload = { authorization, signature: await signatureOf({ sign }) };
  await api.chain.useAuthorization(Buffer.from(JSON.stringify({ payload })).toString('base64'));
}
describe('create', () => {
  test('answers what the wallet signs: to the payer, all that was paid, with a nonce bound to the payment', async () => {
    const payment = await payFinally(api);
    const answer = await create(payment.id, { reason: 'Order 7 was returned' });
    const { refund, sign } = createdRefund.parse(answer.json());
    expect(answer.statusCode).toBe(201);
    expect(refund).toMatchObject({
      object: 'refund',
      paymentId: payment.id,
      paymentIntentId: payment.intentId,
      status: 'prepared',
      amount: '1500000',
      tokenShortcode: 'anvil_usdc',
      network: 'evm',
      chain: 'eip155:31337',
      from: wallet.address.toLowerCase(),
      to: payment.payer.address.toLowerCase(),
      transactionId: null,
      reason: 'Order 7 was returned',
    });
    if (sign?.kind !== 'evm_typed_data') throw new Error('nothing to sign');
    const { domain, message } = sign.typedData;
    expect(domain).toMatchObject({ chainId: 31_337, verifyingContract: USDC });
    expect(message).toMatchObject({ from: refund.from, to: refund.to, value: '1500000', validAfter: '0' });
    expect(message.nonce).toBe(refundNonce(sign.terms as RefundNonceTerms));
    expect(sign.terms).toMatchObject({ paymentId: payment.id, sequence: 1, mode: 'test' });
    const left = Number(message.validBefore) - Date.now() / 1_000;
    expect(left).toBeGreaterThan(3_590);
    expect(left).toBeLessThanOrEqual(3_600);
    expect(await totalsOf(payment.id)).toMatchObject({ refunded: '0', reserved: '0', last_sequence: 0 });
  });

  test('the same idempotency key answers the same bytes; with another body it is refused', async () => {
    const payment = await payFinally(api);
    const headers = { 'idempotency-key': `return-${payment.id}` };
    const [first, again, other] = [
      await create(payment.id, {}, { headers }),
      await create(payment.id, {}, { headers }),
      await create(payment.id, { amount: '15000' }, { headers }),
    ];
    expect(again.body).toBe(first.body);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(refusalOf(other)).toMatchObject({ status: 422, error: 'idempotency_key_reused' });
    expect((await list(payment.id)).json().data).toHaveLength(1);
  });

  test('a payment that is not final, not paid or unknown is refused, each with its own code', async () => {
    const early = await payFinally(api, { final: false });
    expect(refusalOf(await create(early.id))).toMatchObject({
      status: 409,
      error: 'refund_payment_not_final',
      retryable: true,
    });
    const pending = await payFinally(api, { completed: false });
    expect(refusalOf(await create(pending.id))).toMatchObject({ status: 409, error: 'refund_not_possible' });
    expect(refusalOf(await create('pay_01k9z3v5w8q2r4s6t7x0y1abcd'))).toMatchObject({
      status: 404,
      error: 'not_found',
    });
    expect(refusalOf(await create('pay_x'))).toMatchObject({ status: 404, error: 'not_found' });
  });

  test.each([
    ['more than was paid', { amount: '1500001' }, 409, 'refund_exceeds_paid', 'amount'],
    ['a grain of it', { amount: '14999' }, 422, 'refund_too_small', 'amount'],
    ['nothing', { amount: '0' }, 400, 'invalid_amount', 'amount'],
    ['an amount that is no number', { amount: '1.5' }, 400, 'malformed_request', 'amount'],
    ['a wallet of somebody else', { from: stranger.address }, 422, 'refund_wallet_unknown', 'from'],
    ['a recipient that is not needed', { refundTo: stranger.address }, 422, 'refund_to_not_needed', 'refundTo'],
    ['a recipient that is no address', { refundTo: 'payer' }, 400, 'malformed_request', 'refundTo'],
    ['a log without its transaction', { logIndex: 1 }, 400, 'malformed_request', 'logIndex'],
    ['a transaction of Solana', { transactionId: '5'.repeat(88) }, 400, 'malformed_request', 'transactionId'],
    ['a field that is none', { amout: '1' }, 400, 'malformed_request', 'amout'],
    ['a reason that is too long', { reason: 'x'.repeat(201) }, 400, 'malformed_request', 'reason'],
  ])('%s is refused', async (_, body, status, error, param) => {
    const payment = await payFinally(api);
    expect(refusalOf(await create(payment.id, body))).toMatchObject({ status, error, param });
  });

  test('what the policy gives back of an overpayment is carried, though it is less than a hundredth', async () => {
    const payment = await payFinally(api);
    await pool.query(`update svc.payments set refund_due_amount = 5000 where id = $1`, [payment.id]);
    expect(refusalOf(await create(payment.id, { amount: '4999' }))).toMatchObject({ error: 'refund_too_small' });
    const made = await prepare(payment.id, { amount: '5000' });
    expect((await submit(made.refund.id, { signature: await signatureOf(made) })).statusCode).toBe(202);
    expect(await totalsOf(payment.id)).toMatchObject({ reserved: '5000' });
    expect(refusalOf(await create(payment.id, { amount: '5000' }))).toMatchObject({ error: 'refund_too_small' });
  });

  test('a payer that is named as refundTo is the payer', async () => {
    const payment = await payFinally(api);
    const { refund } = await prepare(payment.id, { refundTo: payment.payer.address });
    expect(refund.to).toBe(payment.payer.address.toLowerCase());
  });

  test('a wallet without the money is told before anything is signed', async () => {
    const payment = await payFinally(api);
    const balance = await api.chain.drain(USDC, wallet.address, stranger.address);
    expect(refusalOf(await create(payment.id))).toMatchObject({ status: 409, error: 'refund_insufficient_funds' });
    await api.chain.mint(USDC, wallet.address, balance);
    expect((await create(payment.id)).statusCode).toBe(201);
  });

  test('a payer that the token refuses is told before anything is signed', async () => {
    const payment = await payFinally(api);
    await api.chain.block(USDC, payment.payer.address);
    expect(refusalOf(await create(payment.id))).toMatchObject({ status: 409, error: 'refund_recipient_refused' });
  });

  test('at most ten prepared refunds wait for their signature', async () => {
    const payment = await payFinally(api);
    const first = await prepare(payment.id, { amount: '15000' });
    for (let count = 1; count < 10; count += 1) await prepare(payment.id, { amount: '15000' });
    expect(refusalOf(await create(payment.id))).toMatchObject({ status: 409, error: 'refund_limit_reached' });
    expect((await cancel(first.refund.id)).statusCode).toBe(200);
    expect((await create(payment.id)).statusCode).toBe(201);
  });

  test('a chain that does not answer refuses nothing for good', async () => {
    const payment = await payFinally(api);
    await pool.query(
      "update svc.payments set network = 'eip155:84532', token_shortcode = 'basesepolia_usdc' where id = $1",
      [payment.id],
    );
    await pool.query("update svc.payouts set merchant = $1 where network = 'eip155:84532'", [
      wallet.address.toLowerCase(),
    ]);
    const answer = refusalOf(await create(payment.id, { from: wallet.address }));
    expect(answer).toMatchObject({ status: 503, error: 'chain_unavailable', retryable: true });
  });
});

describe('after a restore', () => {
  test('a refund that the chain has and the database lost is recorded, and nothing can be refunded beside it', async () => {
    const payment = await payFinally(api);
    const made = await prepare(payment.id, { amount: '400000' });
    await carryOut(made);
    await pool.query('delete from svc.refunds where id = $1', [made.refund.id]);
    expect(refusalOf(await create(payment.id))).toMatchObject({ status: 409, error: 'refund_found_on_chain' });
    const [found] = refundList.parse((await list(payment.id)).json()).data;
    expect(found).toMatchObject({ status: 'queued', amount: null });
    expect(await totalsOf(payment.id)).toMatchObject({ reserved: '1500000', last_sequence: 1 });
    expect(refusalOf(await create(payment.id))).toMatchObject({ error: 'refund_exceeds_paid' });
  });

  test('also where refunds before it failed and are lost too', async () => {
    const payment = await payFinally(api);
    const first = await prepare(payment.id, { amount: '400000' });
    await submit(first.refund.id, { signature: await signatureOf(first) });
    const second = await prepare(payment.id, { amount: '300000' });
    expect(second.sign.terms.sequence).toBe(2);
    await carryOut(second);
    await pool.query('delete from svc.refunds where payment_id = $1', [payment.id]);
    await pool.query('delete from svc.refund_totals where payment_id = $1', [payment.id]);
    expect(refusalOf(await create(payment.id))).toMatchObject({ error: 'refund_found_on_chain' });
    expect(await totalsOf(payment.id)).toMatchObject({ last_sequence: 2 });
  });

  test('a signature that somebody used before it was submitted is recorded as found', async () => {
    const payment = await payFinally(api);
    const made = await prepare(payment.id, { amount: '400000' });
    await carryOut(made);
    const answer = await submit(made.refund.id, { signature: await signatureOf(made) });
    expect(refusalOf(answer)).toMatchObject({ status: 409, error: 'refund_found_on_chain' });
    expect(await totalsOf(payment.id)).toMatchObject({ reserved: '1500000', last_sequence: 1 });
  });

  test('a refund whose nonce a faster one used on the chain is told to be prepared again, and nothing is lost', async () => {
    const payment = await payFinally(api);
    const [slow, fast] = [await prepare(payment.id), await prepare(payment.id, { amount: '500000' })];
    expect((await submit(fast.refund.id, { signature: await signatureOf(fast) })).statusCode).toBe(202);
    await carryOut(fast);
    const answer = await submit(slow.refund.id, { signature: await signatureOf(slow) });
    expect(refusalOf(answer)).toMatchObject({ status: 409, error: 'refund_superseded' });
    expect(
      refundList
        .parse((await list(payment.id)).json())
        .data.map(({ status }) => status)
        .toSorted(),
    ).toEqual(['prepared', 'queued']);
    expect(await totalsOf(payment.id)).toMatchObject({ reserved: '500000', last_sequence: 1 });
  });
});

describe('submit', () => {
  test('reserves the amount and queues the refund; the same signature again answers the same', async () => {
    const payment = await payFinally(api);
    const made = await prepare(payment.id, { amount: '500000' });
    const signature = await signatureOf(made);
    const first = await submit(made.refund.id, { signature });
    expect(first.statusCode).toBe(202);
    expect(refundResponse.parse(first.json()).refund).toMatchObject({ status: 'queued', amount: '500000' });
    const answers = await Promise.all(Array.from({ length: 8 }, () => submit(made.refund.id, { signature })));
    for (const again of answers) expect([again.statusCode, again.body]).toEqual([202, first.body]);
    expect((await get(made.refund.id)).body).toBe(first.body);
    expect(await totalsOf(payment.id)).toMatchObject({ reserved: '500000', last_sequence: 1 });
  });

  test('a signature of another key, of other terms or of nobody is refused, and reserves nothing', async () => {
    const payment = await payFinally(api);
    const made = await prepare(payment.id);
    const other = await prepare(payment.id, { amount: '500000' });
    for (const signature of [await signatureOf(made, stranger), await signatureOf(other), `0x${'11'.repeat(65)}`]) {
      const answer = refusalOf(await submit(made.refund.id, { signature }));
      expect(answer).toMatchObject({ status: 422, error: 'refund_signature_invalid' });
    }
    expect(await totalsOf(payment.id)).toMatchObject({ reserved: '0', last_sequence: 0 });
    expect((await get(made.refund.id)).json().refund.status).toBe('prepared');
  });

  test('another signature after the first is told that there is one', async () => {
    const payment = await payFinally(api);
    const made = await prepare(payment.id);
    expect((await submit(made.refund.id, { signature: await signatureOf(made) })).statusCode).toBe(202);
    const answer = refusalOf(await submit(made.refund.id, { signature: await signatureOf(made, stranger) }));
    expect(answer).toMatchObject({ status: 409, error: 'refund_already_submitted' });
  });

  test('of two refunds with one nonce the second is told to be prepared again', async () => {
    const payment = await payFinally(api);
    const [one, two] = [await prepare(payment.id, { amount: '15000' }), await prepare(payment.id, { amount: '15001' })];
    expect(one.sign.typedData.message.nonce).toBe(two.sign.typedData.message.nonce);
    expect((await submit(one.refund.id, { signature: await signatureOf(one) })).statusCode).toBe(202);
    const answer = refusalOf(await submit(two.refund.id, { signature: await signatureOf(two) }));
    expect(answer).toMatchObject({ status: 409, error: 'refund_superseded' });
  });

  test('parts that race reserve at most what was paid', async () => {
    const payment = await payFinally(api);
    const parts = await Promise.all(['900000', '800000', '700000'].map((amount) => prepare(payment.id, { amount })));
    const signatures = await Promise.all(parts.map((part) => signatureOf(part)));
    const answers = await Promise.all(
      parts.map(({ refund }, index) => submit(refund.id, { signature: signatures[index] })),
    );
    expect(answers.filter(({ statusCode }) => statusCode === 202)).toHaveLength(1);
    const next = await create(payment.id);
    const left = 1_500_000n - BigInt((await totalsOf(payment.id)).reserved);
    expect(next.json().refund.amount).toBe(left.toString());
    expect(refusalOf(await create(payment.id, { amount: (left + 1n).toString() }))).toMatchObject({
      error: 'refund_exceeds_paid',
    });
  });

  test('three refunds may be open at once', async () => {
    const payment = await payFinally(api);
    for (let count = 0; count < 3; count += 1) {
      const part = await prepare(payment.id, { amount: '15000' });
      expect((await submit(part.refund.id, { signature: await signatureOf(part) })).statusCode).toBe(202);
    }
    const fourth = await prepare(payment.id, { amount: '15000' });
    const answer = refusalOf(await submit(fourth.refund.id, { signature: await signatureOf(fourth) }));
    expect(answer).toMatchObject({ status: 409, error: 'refund_limit_reached' });
  });

  test('without a signature, or with a transaction instead, the field is named', async () => {
    const payment = await payFinally(api);
    const { refund } = await prepare(payment.id);
    for (const body of [{}, { transaction: 'AQAAAA==' }, { signature: null }])
      expect(refusalOf(await submit(refund.id, body))).toMatchObject({
        error: 'malformed_request',
        param: 'signature',
      });
  });

  test('a canceled refund takes no signature, and a submitted one is not canceled', async () => {
    const payment = await payFinally(api);
    const made = await prepare(payment.id);
    const canceled = await cancel(made.refund.id);
    expect(canceled.json().refund.status).toBe('canceled');
    expect((await cancel(made.refund.id)).body).toBe(canceled.body);
    const answer = refusalOf(await submit(made.refund.id, { signature: await signatureOf(made) }));
    expect(answer).toMatchObject({ status: 409, error: 'refund_canceled' });
    const other = await prepare(payment.id);
    await submit(other.refund.id, { signature: await signatureOf(other) });
    expect(refusalOf(await cancel(other.refund.id))).toMatchObject({ status: 409, error: 'refund_not_cancelable' });
  });

  test('a refund that was not signed in time takes no signature', async () => {
    const payment = await payFinally(api);
    const made = await prepare(payment.id);
    await pool.query("update svc.refunds set expires_at = now() - interval '1 second' where id = $1", [made.refund.id]);
    const answer = refusalOf(await submit(made.refund.id, { signature: await signatureOf(made) }));
    expect(answer).toMatchObject({ status: 409, error: 'refund_canceled' });
  });
});

describe('a transfer that the merchant made', () => {
  const transactionId = `0x${'AB'.repeat(32)}`;

  test('is recorded to be proven, holds all that is left, and counts once', async () => {
    const payment = await payFinally(api);
    const first = await create(payment.id, { transactionId, reason: 'paid by hand' });
    expect(first.statusCode).toBe(201);
    const { refund, sign } = createdRefund.parse(first.json());
    expect(sign).toBeNull();
    expect(refund).toMatchObject({
      status: 'queued',
      amount: null,
      transactionId: transactionId.toLowerCase(),
      explorerUrl: `https://explorer.example/tx/${transactionId.toLowerCase()}`,
      expiresAt: null,
    });
    const again = createdRefund.parse((await create(payment.id, { transactionId, reason: 'paid by hand' })).json());
    expect(again.refund.id).toBe(refund.id);
    expect(await totalsOf(payment.id)).toMatchObject({ reserved: '1500000', last_sequence: 0 });
    expect(refusalOf(await create(payment.id))).toMatchObject({ error: 'refund_exceeds_paid' });
  });

  test('went to the payer, also where the payer can’t receive any more: no other recipient is taken', async () => {
    const payment = await payFinally(api);
    await pool.query('update svc.authorizations set by_contract = true where intent_id = $1', [payment.intentId]);
    const elsewhere = await create(payment.id, { transactionId, refundTo: stranger.address });
    expect(refusalOf(elsewhere)).toMatchObject({ status: 422, error: 'refund_to_not_needed', param: 'refundTo' });
    const { refund } = createdRefund.parse((await create(payment.id, { transactionId })).json());
    expect(refund.to).toBe(payment.payer.address.toLowerCase());
  });

  test('with its amount leaves the rest to others', async () => {
    const payment = await payFinally(api);
    expect((await create(payment.id, { transactionId, amount: '600000' })).statusCode).toBe(201);
    expect((await prepare(payment.id)).refund.amount).toBe('900000');
  });
});

describe('who may', () => {
  test('another account, and the other mode, find neither the payment nor its refunds', async () => {
    const payment = await payFinally(api);
    const made = await prepare(payment.id);
    const others = await seedAccount(pool);
    const signature = await signatureOf(made);
    for (const other of [others.keys.test.secret, api.account.keys.live.secret]) {
      const extra = { key: other };
      for (const answer of [
        await create(payment.id, {}, extra),
        await submit(made.refund.id, { signature }, extra),
        await get(made.refund.id, extra),
        await call(api, 'POST', `/sdk/refunds/${made.refund.id}/cancel`, extra),
        await call(api, 'GET', `/sdk/payments/${payment.id}/refunds`, extra),
      ])
        expect(refusalOf(answer)).toMatchObject({ status: 404, error: 'not_found' });
    }
    expect((await get(made.refund.id)).json().refund.status).toBe('prepared');
  });

  test('a key needs the scope refund, and to read the scope read; a publishable key has neither', async () => {
    const payment = await payFinally(api);
    const { refund } = await prepare(payment.id);
    const keyWith = (scopes: readonly string[]) =>
      addKey(pool, api.account.accountId, 'secret', 'test', PEPPER, { scopes });
    const [refunder, reader] = [await keyWith(['refund']), await keyWith(['read', 'charge', 'create', 'webhooks'])];
    expect((await create(payment.id, {}, { key: refunder })).statusCode).toBe(201);
    expect(refusalOf(await create(payment.id, {}, { key: reader }))).toMatchObject({ error: 'key_scope_missing' });
    expect(refusalOf(await get(refund.id, { key: refunder }))).toMatchObject({ error: 'key_scope_missing' });
    expect((await get(refund.id, { key: reader })).statusCode).toBe(200);
    const page = { key: api.account.keys.test.publishable };
    expect(refusalOf(await get(refund.id, page))).toMatchObject({ error: 'key_kind_not_allowed' });
    expect(refusalOf(await create(payment.id, {}, page))).toMatchObject({ error: 'key_kind_not_allowed' });
  });
});
