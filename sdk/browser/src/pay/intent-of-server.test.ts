// Paying an intent that the merchant's server created, with its client secret and without a key.
import { describe, expect, test } from 'vitest';
import { events, INTENT_ID, offered, refused, SAMPLE, settled, stands } from '../testing/fake-service.ts';
import { fakeWallet, PAYER } from '../testing/fake-wallet.ts';
import { payWorld, type WorldOptions } from '../testing/pay-world.ts';

const SECRET = 'test_acct_1_abc';
const INTENT = { paymentIntentId: INTENT_ID, clientSecret: SECRET } as const;
const HASH = `0x${'12'.repeat(32)}`;
const CAP = { ...SAMPLE, scheme: 'upto' } as const;

/** A client without a key. */
const world = (answers: WorldOptions['answers'], more: Partial<WorldOptions> = {}) =>
  payWorld({ ...more, ...(answers && { answers }), client: { publishableKey: undefined } as never });

test('the intent is asked for, signed and settled with the secret alone, and nothing is created', async () => {
  const { pay, time, service, provider, heard } = world({
    offer: [offered(SAMPLE)],
    settle: [settled('succeeded', { transactionId: HASH })],
  });
  const result = await time.run(pay.createPayment(INTENT));
  expect(result).toMatchObject({ status: 'completed', paymentIntentId: INTENT_ID, transactionId: HASH, payer: PAYER });
  expect(service.asked.map(({ route }) => route)).toEqual(['offer', 'settle']);
  for (const { headers } of service.asked) expect(headers.get('authorization')).toBe(`Bearer ${SECRET}`);
  expect(service.of('settle')[0]?.body).toMatchObject({ paymentIntentId: INTENT_ID, paymentRequirements: SAMPLE });
  expect(provider.signed()).toHaveLength(1);
  expect(heard.map(({ type }) => type)).toEqual([
    'svc-sdk-transaction-created',
    'svc-sdk-transaction-updated',
    'svc-sdk-transaction-completed',
  ]);
});

test('the secret goes into no address, no body and no event', async () => {
  const { pay, time, service, heard } = world({
    offer: [offered(SAMPLE)],
    settle: [settled('processing')],
    stream: ['broken'],
    status: [stands('processing'), stands('completed')],
  });
  await time.run(pay.createPayment(INTENT));
  expect(JSON.stringify([heard, service.asked.map(({ url, body }) => [url, body])])).not.toContain(SECRET);
  // Notify is for keys: a secret asks with the GET.
  expect(service.of('notify')).toEqual([]);
  expect(service.of('status').length).toBeGreaterThan(0);
});

test('the secret of the call wins over the key of the client', async () => {
  const { pay, time, service } = payWorld({ answers: { offer: [offered(SAMPLE)], settle: [settled('succeeded')] } });
  await time.run(pay.createPayment(INTENT));
  for (const { headers } of service.asked) expect(headers.get('authorization')).toBe(`Bearer ${SECRET}`);
});

describe('an intent that is not to be signed', () => {
  test('is completed when it is paid already, and the wallet is not asked', async () => {
    const payment = { transactionId: HASH };
    const { pay, time, provider } = world({ offer: [stands('completed', { payment })] });
    expect(await time.run(pay.createPayment(INTENT))).toMatchObject({ status: 'completed', transactionId: HASH });
    expect(provider.methods()).toEqual([]);
  });

  test('is followed to its end when somebody is paying it', async () => {
    const { body } = stands('completed') as { body: unknown };
    const { pay, time, provider, heard } = world({
      offer: [stands('processing')],
      stream: [events(body)],
      status: [stands('processing')],
    });
    expect(await time.run(pay.createPayment(INTENT))).toMatchObject({ status: 'completed' });
    expect(provider.methods()).toEqual([]);
    expect(heard.at(-1)?.type).toBe('svc-sdk-transaction-completed');
  });

  test('is followed on when the payment of somebody else fails beside a part that arrived', async () => {
    const bodies = ['mismatched', 'completed'].map((status) => (stands(status) as { body: unknown }).body);
    const { pay, time } = world({
      offer: [stands('processing')],
      stream: [events(...bodies)],
      status: [stands('processing')],
    });
    expect(await time.run(pay.createPayment(INTENT))).toMatchObject({ status: 'completed' });
  });

  test.each([
    ['canceled', 'payment_canceled', 'no'],
    ['failed', 'payment_failed', 'no'],
    ['mismatched', 'payment_mismatched', 'yes'],
    ['requires_payment', 'intent_not_payable', 'no'],
  ])('that is %s ends as %s', async (status, code, moneyMoved) => {
    const { pay, failure, provider, terminals } = world({ offer: [stands(status)] });
    const error = await failure(pay.createPayment(INTENT));
    expect(error).toMatchObject({ code, moneyMoved, paymentIntentId: INTENT_ID });
    expect(provider.methods()).toEqual([]);
    expect(terminals()).toHaveLength(1);
  });
});

test('an answer about another intent is not signed', async () => {
  const { pay, failure, provider } = world({ offer: [offered(SAMPLE)] });
  const error = await failure(pay.createPayment({ ...INTENT, paymentIntentId: 'pi_2' }));
  expect(error.moneyMoved).toBe('no');
  expect(provider.signed()).toEqual([]);
});

test('a refusal of the secret ends the attempt, and nothing was charged', async () => {
  const { pay, failure } = world({ offer: [refused(401, 'client_secret_invalid')] });
  expect(await failure(pay.createPayment(INTENT))).toMatchObject({ code: 'client_secret_invalid', moneyMoved: 'no' });
});

describe('what the page expects', () => {
  test.each([
    ['amount', { usdAmount: '12.49' }],
    ['amount', { usdAmount: '12.500002' }],
    ['amount', { usdAmount: '12.499998' }],
    ['amount', { maxAmount: '12499999' }],
    ['payTo', { payTo: '0x3333333333333333333333333333333333333333' }],
    ['network', { network: '1' }],
    ['network', { tokenShortcode: 'eth_usdc' }],
  ])('is held against the acceptance: %s', async (reason, expected) => {
    const { pay, failure, provider } = world({ offer: [offered(SAMPLE)] });
    const error = await failure(pay.createPayment({ ...INTENT, expect: expected }));
    expect(error).toMatchObject({ code: 'acceptance_refused', reason });
    expect(provider.signed()).toEqual([]);
  });

  test.each(['12.50', '12.500000901', '12.500001'])(
    'fits when dollars (%s) and token are those of the intent',
    async (usdAmount) => {
      const { pay, time } = world({ offer: [offered(SAMPLE)], settle: [settled('succeeded')] });
      const paid = await time.run(pay.createPayment({ ...INTENT, expect: { usdAmount, tokenShortcode: 'base_usdc' } }));
      expect(paid.status).toBe('completed');
    },
  );
});

test.each([
  ['paymentIntentId', { clientSecret: SECRET }],
  ['clientSecret', { paymentIntentId: INTENT_ID }],
  ['clientSecret', { ...INTENT, clientSecret: 'sk_live_x' }],
  ['usdAmount', { ...INTENT, usdAmount: '1' }],
  ['tokenShortcode', { ...INTENT, tokenShortcode: 'base_usdc' }],
  ['expect.tokenShortcode', { ...INTENT, expect: { tokenShortcode: 'base_nothing' } }],
  ['publishableKey', { usdAmount: '1' }],
])('a request that can’t be meant is refused by the name of the field: %s', async (reason, request) => {
  const { pay, failure, service, terminals } = world({});
  const error = await failure(pay.createPayment(request as never));
  expect(error).toMatchObject({ code: 'invalid_request', reason });
  expect(service.asked).toEqual([]);
  expect(terminals()).toHaveLength(1);
});

describe('an up-to intent', () => {
  const confirmed = { ok: true, status: 'requires_payment', expiresAt: null, paymentIntent: { id: INTENT_ID } };

  test('is signed and confirmed with the secret', async () => {
    const { pay, time, service } = world({ offer: [offered(CAP)], confirm: [{ status: 200, body: confirmed }] });
    const authorization = await time.run(pay.createUptoAuthorization(INTENT));
    expect(authorization).toMatchObject({ paymentIntentId: INTENT_ID, capAmount: CAP.maxAmountRequired });
    expect(service.of('confirm')[0]?.headers.get('authorization')).toBe(`Bearer ${SECRET}`);
  });

  test('is not paid as an exact one, nor an exact one as a cap', async () => {
    for (const [accepted, method] of [
      [CAP, 'createPayment'],
      [SAMPLE, 'createUptoAuthorization'],
    ] as const) {
      const { pay, failure, provider } = world({ offer: [offered(accepted)] });
      expect(await failure(pay[method](INTENT))).toMatchObject({ code: 'acceptance_refused', reason: 'scheme' });
      expect(provider.signed()).toEqual([]);
    }
  });

  /** How it stands, with a cap that some page had confirmed. */
  const capped = (status: string) =>
    stands(status, {
      paymentIntent: { id: INTENT_ID, status, metadata: { svc_x402_upto_max_amount_atomic: '5' } },
    });

  test.each(['requires_payment', 'processing', 'completed'])(
    'whose cap another page had confirmed is told as authorized, not as failed, and the wallet is not asked (%s)',
    async (status) => {
      const { pay, time, provider, terminals } = world({ offer: [capped(status)] });
      expect(await time.run(pay.createUptoAuthorization(INTENT))).toMatchObject({
        paymentIntentId: INTENT_ID,
        status,
        capAmount: '5',
        payer: null,
      });
      expect(provider.methods()).toEqual([]);
      expect(terminals()).toEqual([]);
    },
  );

  test.each([
    ['upto_already_confirmed', refused(409, 'upto_already_confirmed')],
    ['intent_not_payable', { status: 200, body: { ok: false, error: 'intent_not_payable' } }],
  ])('that another page confirms while the wallet signs is told as authorized (%s)', async (_, answer) => {
    const { pay, time, service, terminals } = world({
      offer: [offered(CAP), capped('requires_payment')],
      confirm: [answer],
    });
    expect(await time.run(pay.createUptoAuthorization(INTENT))).toMatchObject({ capAmount: '5', payer: null });
    expect(service.of('confirm')).toHaveLength(1);
    expect(terminals()).toEqual([]);
  });

  test('whose cap is confirmed stays authorized when somebody sends money for it', async () => {
    const { pay, time } = world({ offer: [capped('mismatched')] });
    expect(await time.run(pay.createUptoAuthorization(INTENT))).toMatchObject({ capAmount: '5', status: 'mismatched' });
  });

  test.each([
    ['canceled', 'payment_canceled', 'no'],
    ['mismatched', 'payment_mismatched', 'yes'],
    ['requires_payment', 'intent_not_payable', 'no'],
    ['completed', 'intent_not_payable', 'unknown'],
  ])('without a cap that is %s ends as %s', async (status, code, moneyMoved) => {
    const { pay, failure, provider, terminals } = world({ offer: [stands(status)] });
    expect(await failure(pay.createUptoAuthorization(INTENT))).toMatchObject({ code, moneyMoved });
    expect(provider.methods()).toEqual([]);
    expect(terminals()).toHaveLength(1);
  });
});

describe('waiting', () => {
  test('needs the secret alone', async () => {
    const { pay, time, service } = world({ stream: ['broken'], status: [stands('completed')] });
    expect(await time.run(pay.waitForPayment(INTENT))).toMatchObject({ status: 'completed' });
    expect(service.of('status')[0]?.headers.get('authorization')).toBe(`Bearer ${SECRET}`);
  });

  test('without a secret and a key is refused before anybody is asked', async () => {
    const { pay, failure, service } = world({});
    const error = await failure(pay.waitForPayment({ paymentIntentId: INTENT_ID }));
    expect(error).toMatchObject({ code: 'invalid_request', reason: 'publishableKey' });
    expect(service.asked).toEqual([]);
  });
});

test('a transaction that came with a stored acceptance is not handed to the wallet: nobody knows how old it is', async () => {
  const accepted = {
    ...SAMPLE,
    network: 'solana:devnet',
    extra: { intentId: INTENT_ID, transactionBase64: 'AA==', feePayer: 'x' },
  };
  let handed: unknown;
  const { pay, failure } = world(
    { offer: [offered(accepted)] },
    {
      provider: fakeWallet(),
      wallet: {
        canSign: () => true,
        async authorize(acceptances) {
          handed = acceptances;
          throw new Error('enough');
        },
      },
    },
  );
  await failure(pay.createPayment(INTENT));
  expect(handed).toMatchObject([{ extra: { intentId: INTENT_ID, feePayer: 'x' } }]);
  expect(JSON.stringify(handed)).not.toContain('transactionBase64');
});
