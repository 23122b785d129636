import { decodePaymentHeader } from '@svc-pay/protocol/x402';
import { describe, expect, test } from 'vitest';
import { evmWallet } from '../evm/evm-wallet.ts';
import { type Answer, events, INTENT_ID, offered, refused, SAMPLE, settled, stands } from '../testing/fake-service.ts';
import { fakeWallet, PAYER, word } from '../testing/fake-wallet.ts';
import { payWorld } from '../testing/pay-world.ts';

const REQUEST = { usdAmount: '12.50', tokenShortcode: 'base_usdc', metadata: { order: 7 } } as const;
const HASH = `0x${'12'.repeat(32)}`;
const intent = [offered(SAMPLE)];

test('the client flow of the interface, to the letter', async () => {
  const { pay, time, service, provider, heard } = payWorld({
    answers: { intent, settle: [settled('succeeded', { transactionId: HASH })] },
  });
  const result = await time.run(pay.createPayment(REQUEST));
  expect(result).toEqual({
    status: 'completed',
    paymentIntentId: INTENT_ID,
    attemptId: heard[0]?.detail.attemptId,
    transactionId: HASH,
    amount: '12500000',
    asset: SAMPLE.asset,
    network: 'eip155:8453',
    payer: PAYER,
  });
  const [asked] = service.of('intent');
  expect(asked?.body).toEqual({ ...REQUEST, x402Upto: false });
  expect(asked?.headers.get('authorization')).toBe('Bearer pk_test_x');

  const nowSeconds = Math.floor(time.nowMs() / 1_000);
  const message = {
    from: PAYER,
    to: SAMPLE.payTo,
    value: '12500000',
    validAfter: String(nowSeconds - 86_400),
    validBefore: String(nowSeconds + 300),
    nonce: expect.stringMatching(/^0x[0-9a-f]{64}$/),
  };
  expect(provider.signed()).toEqual([
    {
      primaryType: 'TransferWithAuthorization',
      domain: { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: SAMPLE.asset },
      types: expect.objectContaining({ EIP712Domain: expect.anything() }),
      message,
    },
  ]);
  const [sent] = service.of('settle');
  expect(sent?.body).toMatchObject({ paymentIntentId: INTENT_ID, paymentRequirements: SAMPLE });
  expect(decodePaymentHeader(String(sent?.body['paymentHeader']))).toMatchObject({
    ok: true,
    header: { x402Version: 1, scheme: 'exact', network: 'eip155:8453', payload: { authorization: message } },
  });
  expect(heard.map(({ type }) => type)).toEqual([
    'svc-sdk-transaction-created',
    'svc-sdk-transaction-updated',
    'svc-sdk-transaction-completed',
  ]);
  expect(new Set(heard.map(({ detail }) => `${detail.paymentIntentId} ${detail.attemptId}`)).size).toBe(1);
  expect(heard.at(-1)?.detail).toMatchObject({ status: 'completed', moneyMoved: 'yes', error: null });
});

test('events are raised on the page when they are enabled, and only then', async () => {
  for (const enableEvents of [true, false]) {
    const eventTarget = new EventTarget();
    const types: string[] = [];
    eventTarget.addEventListener('svc-sdk-transaction-completed', ({ type }) => types.push(type));
    const { pay, time } = payWorld({
      answers: { intent, settle: [settled('succeeded')] },
      client: { enableEvents, eventTarget },
    });
    await time.run(pay.createPayment(REQUEST));
    expect(types).toHaveLength(enableEvents ? 1 : 0);
  }
});

describe('the clock', () => {
  test.each([-10, 10])('%i minutes wrong: the signature is dated by the service', async (minutes) => {
    const serviceMs = 1_700_000_000_000;
    const date = new Date(serviceMs).toUTCString();
    const answer = offered(SAMPLE) as Exclude<Answer, string>;
    const { pay, time, provider } = payWorld({
      startMs: serviceMs + minutes * 60_000,
      answers: { intent: [{ ...answer, headers: { date } }], settle: [settled('succeeded')] },
    });
    await time.run(pay.createPayment(REQUEST));
    expect(provider.signed()[0]?.message['validBefore']).toBe(String(serviceMs / 1_000 + 300));
  });

  test('a date that is days away is not believed: it would stretch the signature', async () => {
    const headers = { date: 'Fri, 01 Jan 2038 00:00:00 GMT' };
    const answer = offered(SAMPLE) as Exclude<Answer, string>;
    const { pay, time, provider } = payWorld({
      answers: { intent: [{ ...answer, headers }], settle: [settled('succeeded')] },
    });
    await time.run(pay.createPayment(REQUEST));
    expect(Number(provider.signed()[0]?.message['validBefore'])).toBe(Math.floor(time.nowMs() / 1_000) + 300);
  });
});

describe('asking for an intent', () => {
  test('is repeated under one key, so that all repeats are one intent', async () => {
    const { pay, time, service, heard } = payWorld({
      answers: {
        intent: ['silence', 'broken', refused(503, 'price_unavailable', { retryable: true }), offered(SAMPLE)],
        settle: [settled('succeeded')],
      },
    });
    await time.run(pay.createPayment(REQUEST));
    const keys = service.of('intent').map(({ headers }) => headers.get('idempotency-key'));
    expect(keys).toEqual(Array(4).fill(heard[0]?.detail.attemptId));
  });

  test('ends when nobody answers, and nothing was signed', async () => {
    const { pay, provider, failure, terminals } = payWorld({ answers: { intent: ['silence'] } });
    const error = await failure(pay.createPayment(REQUEST));
    expect(error).toMatchObject({ code: 'service_unreachable', moneyMoved: 'no', paymentIntentId: null });
    expect(terminals()).toMatchObject([{ type: 'svc-sdk-transaction-failed', detail: { paymentIntentId: null } }]);
    expect(provider.methods()).toEqual([]);
  });

  test('a refusal is not repeated, and what it says to engineers is not shown to payers', async () => {
    const { pay, service, failure } = payWorld({ answers: { intent: [refused(401, 'key_invalid')] } });
    const error = await failure(pay.createPayment(REQUEST));
    expect(error).toMatchObject({ code: 'key_invalid', reason: 'A sentence.', requestId: 'req_7' });
    expect(error.message).toBe('This payment can’t be made here at the moment. Nothing was charged.');
    expect(service.of('intent')).toHaveLength(1);
  });

  test.each([{}, { usdAmount: 'x' }, { usdAmount: Number.NaN }, { usdAmount: 0 }, { amount: '1.5' }])(
    'a request without a usable amount is not sent: %j',
    async (request) => {
      const { pay, service, failure } = payWorld();
      expect(await failure(pay.createPayment(request))).toMatchObject({ code: 'invalid_request' });
      expect(service.asked).toEqual([]);
    },
  );
});

describe('what X402 can’t pay, where the service knows no other way', () => {
  const regular = [refused(404, 'not_found')];
  const recommendation = {
    status: 200,
    body: {
      status: 'failed',
      fallbackSuggested: true,
      error: 'x402_not_available_for_token',
      paymentIntentId: INTENT_ID,
    },
  };
  test.each<[string, Answer, string]>([
    ['a recommendation', recommendation, 'x402_not_available_for_token'],
    ['no acceptances', offered(), 'x402_not_available_for_token'],
  ])('%s', async (_, answer, reason) => {
    const { pay, provider, failure, terminals } = payWorld({ answers: { intent: [answer], regular } });
    const error = await failure(pay.createPayment(REQUEST));
    expect(error).toMatchObject({
      code: 'regular_flow_unavailable',
      reason,
      paymentIntentId: INTENT_ID,
      moneyMoved: 'no',
    });
    expect(terminals()).toMatchObject([{ type: 'svc-sdk-transaction-failed', detail: { error: { code: reason } } }]);
    expect(provider.methods()).toEqual([]);
  });

  test('a settlement below the minimum fails first, then falls back', async () => {
    const error = 'x402_minimum_amount_not_met';
    const { pay, failure, terminals } = payWorld({
      answers: { intent, settle: [settled('failed', { error })], regular },
    });
    expect(await failure(pay.createPayment(REQUEST))).toMatchObject({
      code: 'regular_flow_unavailable',
      reason: error,
    });
    expect(terminals()).toMatchObject([{ type: 'svc-sdk-transaction-failed', detail: { error: { code: error } } }]);
  });
});

describe('after the header was sent', () => {
  const steps: readonly Answer[] = [settled('processing', { transactionId: HASH })];

  test('processing is no end: the stream tells it', async () => {
    const { pay, time, service, heard } = payWorld({
      answers: { intent, settle: steps, stream: [events((stands('completed') as { body: unknown }).body)] },
    });
    expect(await time.run(pay.createPayment(REQUEST))).toMatchObject({ status: 'completed', transactionId: HASH });
    expect(service.of('settle')).toHaveLength(1);
    expect(heard.at(-2)?.detail).toMatchObject({ status: 'processing', moneyMoved: 'unknown' });
  });

  test.each([
    ['that says so is forgotten', { payment: { transactionId: null } }, null],
    ['that leaves it out is kept', { payment: {} }, HASH],
  ])('a transaction of the payment, in an answer %s', async (_, more, transactionId) => {
    const { pay, failure, terminals } = payWorld({
      answers: { intent, settle: steps, stream: ['silence'], notify: [stands('processing', more)] },
    });
    await failure(pay.createPayment(REQUEST));
    expect(terminals()[0]?.detail).toMatchObject({ status: 'processing', transactionId });
  });

  test('without a stream it is asked for, ever more slowly', async () => {
    const { pay, time, service } = payWorld({
      answers: {
        intent,
        settle: steps,
        stream: [{ status: 404, body: '' }],
        notify: [...Array<Answer>(6).fill(stands('processing')), stands('completed')],
      },
    });
    const startMs = time.nowMs();
    await time.run(pay.createPayment(REQUEST));
    expect(service.of('notify')).toHaveLength(7);
    expect(service.of('stream')).toHaveLength(1);
    expect(time.nowMs() - startMs).toBeGreaterThan(15_000);
  });

  test('a lost answer is asked for with the same header, and is found by status', async () => {
    const { pay, time, service, provider } = payWorld({
      answers: { intent, settle: ['broken'], notify: [stands('completed')] },
    });
    expect(await time.run(pay.createPayment(REQUEST))).toMatchObject({ status: 'completed' });
    expect(provider.signed()).toHaveLength(1);
    expect(service.of('settle')).toHaveLength(1);
  });

  test('a header that never arrived is sent again, the same one', async () => {
    const { pay, time, service, provider } = payWorld({
      answers: { intent, settle: ['broken', 'silence', settled('succeeded')], notify: [stands('requires_payment')] },
    });
    await time.run(pay.createPayment(REQUEST));
    expect(new Set(service.of('settle').map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(service.of('settle')).toHaveLength(3);
    expect(provider.signed()).toHaveLength(1);
  });

  test('a payment that failed on its way is told as failed, by the word of settle', async () => {
    const { pay, failure } = payWorld({
      answers: {
        intent,
        settle: [settled('processing'), settled('failed', { error: 'insufficient_funds' })],
        stream: [events((stands('requires_payment') as { body: unknown }).body)],
      },
    });
    const error = await failure(pay.createPayment(REQUEST));
    expect(error).toMatchObject({ code: 'insufficient_funds', moneyMoved: 'no' });
    expect(error.message).toBe('The wallet does not hold enough of this token. Nothing was charged.');
  });

  test('for ever processing ends as unknown, and is never called unpaid', async () => {
    const { pay, failure, terminals } = payWorld({
      answers: { intent, settle: steps, stream: ['silence'], notify: [stands('processing')] },
    });
    const error = await failure(pay.createPayment(REQUEST));
    expect(error).toMatchObject({ code: 'outcome_unknown', moneyMoved: 'unknown', paymentIntentId: INTENT_ID });
    expect(terminals()[0]?.detail).toMatchObject({ status: 'processing', transactionId: HASH, moneyMoved: 'unknown' });
  });

  test('a failure after a silent request does not deny what that one may have done', async () => {
    const { pay, failure } = payWorld({
      answers: { intent, settle: ['broken', settled('failed', { error: 'invalid_signature' })], notify: ['broken'] },
    });
    expect(await failure(pay.createPayment(REQUEST))).toMatchObject({
      code: 'invalid_signature',
      moneyMoved: 'unknown',
    });
  });

  test('another amount than asked is an end of its own, and money has moved', async () => {
    const payment = { requestedAmount: '12500000', paidAmount: '12000000' };
    const { pay, failure, terminals } = payWorld({ answers: { intent, settle: [settled('mismatched', { payment })] } });
    expect(await failure(pay.createPayment(REQUEST))).toMatchObject({ code: 'payment_mismatched', moneyMoved: 'yes' });
    expect(terminals()).toMatchObject([{ type: 'svc-sdk-transaction-mismatched', detail: payment }]);
  });
});

describe('a part of the amount that a stranger sent', () => {
  test('does not end a payment whose answer was lost: the header is sent again and pays', async () => {
    const { pay, time, service } = payWorld({
      answers: { intent, settle: ['broken', settled('succeeded')], notify: [stands('mismatched')] },
    });
    expect(await time.run(pay.createPayment(REQUEST))).toMatchObject({ status: 'completed' });
    expect(service.of('settle')).toHaveLength(2);
  });

  test('is not taken for the money of a payment that failed', async () => {
    const { body } = stands('mismatched') as { body: unknown };
    const { pay, failure, terminals } = payWorld({
      answers: {
        intent,
        settle: [settled('processing'), settled('failed', { error: 'token_refused' })],
        stream: [events(body)],
        notify: [stands('mismatched')],
      },
    });
    expect(await failure(pay.createPayment(REQUEST))).toMatchObject({ code: 'token_refused', moneyMoved: 'no' });
    expect(terminals()).toMatchObject([{ type: 'svc-sdk-transaction-failed' }]);
  });
});

describe('a wallet that holds too little', () => {
  test('is told before it signs', async () => {
    const provider = fakeWallet({ eth_call: () => word(12_499_999n) });
    const { pay, failure, service } = payWorld({ answers: { intent }, provider });
    expect(await failure(pay.createPayment(REQUEST))).toMatchObject({ code: 'insufficient_funds', moneyMoved: 'no' });
    expect(provider.signed()).toEqual([]);
    expect(service.of('settle')).toEqual([]);
  });

  test('no wallet at all: a typed error, one failed event, and no settle', async () => {
    const { pay, failure, service, terminals } = payWorld({ answers: { intent }, wallet: evmWallet() });
    expect(await failure(pay.createPayment(REQUEST))).toMatchObject({ code: 'no_wallet', moneyMoved: 'no' });
    expect(terminals()).toMatchObject([{ type: 'svc-sdk-transaction-failed', detail: { paymentIntentId: INTENT_ID } }]);
    expect(service.of('settle')).toEqual([]);
  });
});
