import { describe, expect, test } from 'vitest';
import { callOf, SELECTORS, wordOf } from '../evm/words.ts';
import { type Answer, events, INTENT_ID, offered, refused, SAMPLE, settled, stands } from '../testing/fake-service.ts';
import { PAYER, refusal, word } from '../testing/fake-wallet.ts';
import { payWorld } from '../testing/pay-world.ts';
import {
  AMOUNT,
  type ChainWallet,
  chainWallet,
  isCallOf,
  PAY_HASH,
  PROCESSOR,
  processorOption,
  recommended,
  regularly,
  type Transaction,
} from '../testing/regular-actors.ts';

const REQUEST = { usdAmount: '12.50', tokenShortcode: 'base_usdc' } as const;
const NO_TYPED_DATA = { eth_signTypedData_v4: () => Promise.reject(refusal(4200)) };
const open = stands('requires_payment');
const completed = (stands('completed') as { body: unknown }).body;
const bodyOf = (answer: Answer) => (answer as { body: unknown }).body;
const found = {
  regular: [regularly(processorOption())],
  notify: [open],
  stream: [events(completed)],
};

const paysOnce = (provider: ChainWallet) => {
  expect(provider.sentTo(SELECTORS.pay)).toEqual([{ to: PROCESSOR, data: processorOption().pay.data }]);
};

describe('the regular flow', () => {
  test('X402 fails and is told so, then the payer approves the amount, pays, and the service says that it is paid', async () => {
    const provider = chainWallet();
    const { pay, time, service, heard } = payWorld({ answers: { intent: [recommended], ...found }, provider });
    const result = await time.run(pay.createPayment(REQUEST));
    expect(provider.sent.map(({ data }) => data.slice(0, 10))).toEqual([SELECTORS.approve, SELECTORS.pay]);
    paysOnce(provider);
    const told = heard.map(({ type, detail }) => [type.replace('svc-sdk-transaction-', ''), detail.flow]);
    expect(told.slice(0, 3)).toEqual([
      ['created', 'x402'],
      ['failed', 'x402'],
      ['created', 'regular'],
    ]);
    expect(told.at(-1)).toEqual(['completed', 'regular']);
    expect(heard[1]?.detail).toMatchObject({ error: { code: 'x402_not_available_for_token' }, moneyMoved: 'no' });
    const regular = heard.filter(({ detail }) => detail.flow === 'regular');
    expect(new Set(regular.map(({ detail }) => detail.attemptId))).toEqual(new Set([result.attemptId]));
    expect(heard[0]?.detail.attemptId).not.toBe(result.attemptId);
    expect(result).toMatchObject({
      status: 'completed',
      paymentIntentId: INTENT_ID,
      transactionId: PAY_HASH,
      amount: AMOUNT,
      asset: SAMPLE.asset,
      network: 'eip155:8453',
      payer: PAYER,
    });
    expect(service.of('notify').map(({ body }) => body)).toContainEqual({
      paymentIntentId: INTENT_ID,
      transactionId: PAY_HASH,
    });
  });

  test('an allowance that suffices is not asked for again', async () => {
    const provider = chainWallet({}, BigInt(AMOUNT));
    const { pay, time } = payWorld({ answers: { intent: [recommended], ...found }, provider });
    await time.run(pay.createPayment(REQUEST));
    expect(provider.sent).toHaveLength(1);
    paysOnce(provider);
  });

  test('the wallet is brought to the chain first', async () => {
    let chainId = '0x1';
    const provider = chainWallet({
      eth_chainId: () => chainId,
      wallet_switchEthereumChain: ([wanted]) => {
        chainId = (wanted as { chainId: string }).chainId;
        return null;
      },
    });
    const { pay, time } = payWorld({ answers: { intent: [recommended], ...found }, provider });
    await time.run(pay.createPayment(REQUEST));
    const methods = provider.methods();
    expect(methods.indexOf('wallet_switchEthereumChain')).toBeLessThan(methods.indexOf('eth_sendTransaction'));
    paysOnce(provider);
  });

  test.each<[string, Answer]>([
    ['an offer without acceptances', offered()],
    ['a recommendation', recommended],
  ])('%s leads to it', async (_, answer) => {
    const provider = chainWallet();
    const { pay, time } = payWorld({ answers: { intent: [answer], ...found }, provider });
    await time.run(pay.createPayment(REQUEST));
    paysOnce(provider);
  });

  test('another amount that arrived is told as mismatched', async () => {
    const payment = { requestedAmount: AMOUNT, paidAmount: '12000000', transactionId: PAY_HASH };
    const stream = [events(bodyOf(stands('mismatched', { payment })))];
    const { pay, failure, terminals } = payWorld({
      answers: { intent: [recommended], ...found, stream },
      provider: chainWallet(),
    });
    expect(await failure(pay.createPayment(REQUEST))).toMatchObject({ code: 'payment_mismatched', moneyMoved: 'yes' });
    expect(terminals().map(({ type }) => type)).toEqual([
      'svc-sdk-transaction-failed',
      'svc-sdk-transaction-mismatched',
    ]);
    expect(terminals()[1]?.detail).toMatchObject({ ...payment, flow: 'regular' });
  });
});

describe('an intent of which a part arrived before', () => {
  const part = { requestedAmount: AMOUNT, paidAmount: '125000', transactionId: `0x${'c3'.repeat(32)}` };
  const parts = stands('mismatched', { payment: part });
  const paidParts = (sends: unknown, stream: readonly unknown[]) =>
    payWorld({
      answers: { intent: [recommended], ...found, notify: [parts], stream: [events(...stream)] },
      provider: chainWallet({ ...(sends === null && { eth_sendTransaction: () => null }) }, BigInt(AMOUNT)),
    });

  test.each([
    ['whose hash is known', PAY_HASH],
    ['whose hash the wallet did not tell', null],
  ])('is paid by a transaction %s: the part is not its end', async (_, sends) => {
    const { pay, time, heard } = paidParts(sends, [bodyOf(parts), completed]);
    expect(await time.run(pay.createPayment(REQUEST))).toMatchObject({ status: 'completed' });
    expect(heard.filter(({ type }) => type === 'svc-sdk-transaction-mismatched')).toEqual([]);
    expect(heard.map(({ detail }) => detail.transactionId)).not.toContain(part.transactionId);
  });

  test('ends as mismatched where another payment of it appears, and the wallet did not tell the hash', async () => {
    const other = stands('mismatched', { payment: { ...part, transactionId: PAY_HASH } });
    const { pay, failure } = paidParts(null, [bodyOf(parts), bodyOf(other)]);
    expect(await failure(pay.createPayment(REQUEST))).toMatchObject({ code: 'payment_mismatched', moneyMoved: 'yes' });
  });

  const REST = '12375000';
  const restOption = (more: object = {}) =>
    processorOption({
      amount: REST,
      requestedAmount: AMOUNT,
      paidAmount: '125000',
      approve: { ...processorOption().approve, data: callOf(SELECTORS.approve, PROCESSOR, REST), amount: REST },
      pay: { to: PROCESSOR, data: processorOption().pay.data.slice(0, -64) + wordOf(REST) },
      ...more,
    });

  test('is paid by its rest, and approves no more', async () => {
    const provider = chainWallet();
    const regular = [regularly(restOption())];
    const { pay, time } = payWorld({ answers: { intent: [recommended], ...found, regular }, provider });
    expect(await time.run(pay.createPayment(REQUEST))).toMatchObject({ status: 'completed', amount: REST });
    expect(provider.sent.map(({ data }) => BigInt(`0x${data.slice(-64)}`))).toEqual([BigInt(REST), BigInt(REST)]);
  });

  test.each([
    ['a whole that was not asked for', { requestedAmount: '12500001' }],
    ['a rest above the whole', { requestedAmount: '1' }],
  ])('is not paid by the rest of %s', async (_, more) => {
    const provider = chainWallet();
    const regular = [regularly(restOption(more))];
    const { pay, failure } = payWorld({ answers: { intent: [recommended], ...found, regular }, provider });
    expect(await failure(pay.createPayment(REQUEST))).toMatchObject({ code: 'acceptance_refused', reason: 'amount' });
    expect(provider.sent).toEqual([]);
  });

  test('and that has no way for this wallet moved nothing of this payer', async () => {
    const regular = [{ status: 200, body: { ...(bodyOf(parts) as object), regular: [] } }];
    const { pay, failure } = payWorld({ answers: { intent: [recommended], regular }, provider: chainWallet() });
    expect(await failure(pay.createPayment(REQUEST))).toMatchObject({
      code: 'regular_flow_unavailable',
      moneyMoved: 'no',
    });
  });
});

describe('a further call for the same intent', () => {
  const INTENT = { paymentIntentId: INTENT_ID, clientSecret: 'test_acct_1_abc' } as const;
  const unknown = { code: 'outcome_unknown', moneyMoved: 'unknown' };

  test('sends nothing while a header of the first may be taken, and pays once it is dead', async () => {
    const provider = chainWallet();
    const { pay, time, failure } = payWorld({
      answers: { offer: [offered(SAMPLE), offered()], settle: ['broken'], ...found, status: [open] },
      provider,
    });
    expect(await failure(pay.createPayment(INTENT, { timeoutMs: 10_000 }))).toMatchObject(unknown);
    expect(await failure(pay.createPayment(INTENT))).toMatchObject({ ...unknown, reason: 'earlier_payment' });
    expect(provider.sent).toEqual([]);
    await time.run(time.sleep(361_000, new AbortController().signal));
    await time.run(pay.createPayment(INTENT));
    paysOnce(provider);
  });

  test('of the same client signs and sends nothing beside a prompt that may be open in the wallet, however old', async () => {
    const never = () => new Promise<never>(() => {});
    const provider = chainWallet({ eth_sendTransaction: never }, BigInt(AMOUNT));
    const { pay, time, failure } = payWorld({
      answers: { offer: [offered(), offered(SAMPLE)], ...found, status: [open] },
      provider,
    });
    expect(await failure(pay.createPayment(INTENT))).toMatchObject({ moneyMoved: 'unknown' });
    await time.run(time.sleep(86_400_000, new AbortController().signal));
    expect(await failure(pay.createPayment(INTENT))).toMatchObject({ ...unknown, reason: 'earlier_payment' });
    expect(provider.methods().filter((method) => method === 'eth_sendTransaction')).toHaveLength(1);
    expect(provider.signed()).toEqual([]);
  });

  test('signs and sends nothing beside a transaction that the first sent', async () => {
    const provider = chainWallet();
    const { pay, failure } = payWorld({
      answers: { offer: [offered(), offered(SAMPLE)], ...found, status: [open], stream: ['silence'] },
      provider,
    });
    expect(await failure(pay.createPayment(INTENT, { timeoutMs: 10_000 }))).toMatchObject(unknown);
    expect(await failure(pay.createPayment(INTENT))).toMatchObject({ ...unknown, reason: 'earlier_payment' });
    expect(provider.signed()).toEqual([]);
    paysOnce(provider);
  });
});

describe('a wallet that can’t sign typed data', () => {
  test.each([
    ['4200', refusal(4200)],
    ['-32601', refusal(-32_601)],
    ['in words', new Error('The method eth_signTypedData_v4 is not supported by this wallet')],
    ['wrapped', { code: -32_603, message: 'Internal error', data: { code: -32_601, message: 'x' } }],
  ])('pays by transactions of its own: %s', async (_, problem) => {
    const provider = chainWallet({ eth_signTypedData_v4: () => Promise.reject(problem) });
    const { pay, time, service, terminals } = payWorld({
      answers: { intent: [offered(SAMPLE)], ...found },
      provider,
    });
    expect(await time.run(pay.createPayment(REQUEST))).toMatchObject({ status: 'completed' });
    paysOnce(provider);
    expect(service.of('settle')).toEqual([]);
    expect(terminals().map(({ detail }) => detail.error?.code ?? 'none')).toEqual(['typed_data_unsupported', 'none']);
  });

  test.each([
    ['4001', refusal(4001)],
    ['4001 beneath 4200', { code: 4200, message: 'x', data: { code: 4001 } }],
    ['words', { code: -32_601, message: 'User rejected the request.' }],
  ])('a person’s no stays a no: %s', async (_, problem) => {
    const provider = chainWallet({ eth_signTypedData_v4: () => Promise.reject(problem) });
    const { pay, failure, service } = payWorld({ answers: { intent: [offered(SAMPLE)], ...found }, provider });
    const error = await failure(pay.createPayment(REQUEST));
    expect([error.code, error.isUserCancelled(), error.moneyMoved]).toEqual(['signature_refused', true, 'no']);
    expect(provider.sent).toEqual([]);
    expect(service.of('regular')).toEqual([]);
  });

  test('is not asked to sign for a merchant’s own wallet, and is told that there is no other way', async () => {
    const { pay, failure } = payWorld({
      answers: { intent: [offered(SAMPLE)], regular: [regularly()] },
      provider: chainWallet(NO_TYPED_DATA),
    });
    expect(await failure(pay.createPayment(REQUEST))).toMatchObject({
      code: 'regular_flow_unavailable',
      reason: 'typed_data_unsupported',
      moneyMoved: 'no',
    });
  });

  test('never pays a cap by the regular flow', async () => {
    const provider = chainWallet(NO_TYPED_DATA);
    const intent = [offered({ ...SAMPLE, scheme: 'upto' })];
    const { pay, failure } = payWorld({ answers: { intent, ...found }, provider });
    expect(await failure(pay.createUptoAuthorization(REQUEST))).toMatchObject({ code: 'typed_data_unsupported' });
    expect(provider.sent).toEqual([]);
  });
});

describe('a header that was shown', () => {
  const tooSmall = settled('failed', { error: 'x402_minimum_amount_not_met' });
  test('and refused for the minimum alone is followed by the regular flow', async () => {
    const provider = chainWallet();
    const { pay, time, terminals } = payWorld({
      answers: { intent: [offered(SAMPLE)], settle: [tooSmall], ...found },
      provider,
    });
    await time.run(pay.createPayment(REQUEST));
    paysOnce(provider);
    expect(terminals()[0]?.detail).toMatchObject({ error: { code: 'x402_minimum_amount_not_met' } });
  });

  test.each<[string, readonly Answer[]]>([
    ['after an answer that was lost', ['broken', tooSmall]],
    ['after it was under way', [settled('processing'), tooSmall]],
    ['after a busy answer that spoke of money', [refused(500, 'internal_error', { moneyMoved: 'unknown' }), tooSmall]],
  ])('%s is not', async (_, settle) => {
    const provider = chainWallet();
    const { pay, failure } = payWorld({
      answers: { intent: [offered(SAMPLE)], settle, ...found, stream: [events(bodyOf(open))] },
      provider,
    });
    expect(await failure(pay.createPayment(REQUEST))).toMatchObject({ code: 'x402_minimum_amount_not_met' });
    expect(provider.sent).toEqual([]);
  });
});

describe('before the money is sent', () => {
  const sentNothing: readonly (readonly [string, ChainWallet, object, object])[] = [
    [
      'the approval was refused',
      chainWallet({ eth_sendTransaction: () => Promise.reject(refusal()) }),
      {},
      { code: 'signature_refused' },
    ],
    [
      'the approval was reverted',
      chainWallet({ eth_getTransactionReceipt: () => ({ status: '0x0', blockNumber: '0x10' }) }),
      {},
      { code: 'approval_failed', reason: 'reverted' },
    ],
    [
      'less was approved',
      chainWallet({
        eth_call: ([call]) => (isCallOf(SELECTORS.allowance, call as Transaction) ? word(1n) : word(10n ** 9n)),
      }),
      {},
      { code: 'approval_failed', reason: 'amount' },
    ],
    ['the intent was paid meanwhile', chainWallet(), { notify: [stands('completed')] }, { code: 'intent_not_payable' }],
    ['the service can’t be asked any more', chainWallet(), { notify: ['broken'] }, { code: 'service_unreachable' }],
    [
      'the offer ends',
      chainWallet(),
      { regular: [regularly(processorOption({ expiresAt: '2023-11-14T22:13:50.000Z' }))] },
      { code: 'intent_not_payable', reason: 'expiresAt' },
    ],
    [
      'the service asks for another call',
      chainWallet(),
      { regular: [regularly(processorOption({ pay: { to: PROCESSOR, data: '0xdeadbeef' } }))] },
      { code: 'acceptance_refused', reason: 'pay' },
    ],
    [
      'the service asks for more than the page',
      chainWallet(),
      { regular: [regularly(processorOption({ amount: '12500001' }))] },
      { code: 'acceptance_refused', reason: 'amount' },
    ],
  ];
  test.each(sentNothing)('%s: no `pay`, and no money', async (_, provider, answers, expected) => {
    const { pay, failure, terminals } = payWorld({
      answers: { intent: [recommended], ...found, ...answers },
      provider,
    });
    expect(await failure(pay.createPayment(REQUEST))).toMatchObject({ moneyMoved: 'no', ...expected });
    expect(provider.sentTo(SELECTORS.pay)).toEqual([]);
    expect(terminals().map(({ detail }) => detail.flow)).toEqual(['x402', 'regular']);
  });

  test('a recipient that the page does not know is not approved', async () => {
    const provider = chainWallet();
    const { pay, failure } = payWorld({ answers: { intent: [recommended], ...found }, provider });
    const request = { ...REQUEST, expect: { payTo: `0x${'99'.repeat(20)}` } };
    expect(await failure(pay.createPayment(request))).toMatchObject({ code: 'acceptance_refused', reason: 'payTo' });
    expect(provider.sent).toEqual([]);
  });
});

describe('once the wallet was asked for the money', () => {
  const asked = (answer: (transaction: Transaction) => unknown) =>
    chainWallet({ eth_sendTransaction: ([transaction]) => answer(transaction as Transaction) }, BigInt(AMOUNT));
  test.each<[string, unknown, object]>([
    ['a person’s no', refusal(), { code: 'signature_refused', moneyMoved: 'no' }],
    [
      'no gas',
      { code: -32_000, message: 'insufficient funds for gas * price + value' },
      { code: 'insufficient_gas', moneyMoved: 'no' },
    ],
    ['a method that it does not know', refusal(4200), { code: 'wallet_failed', moneyMoved: 'no' }],
    ['a call that reverts', { code: 3, message: 'execution reverted' }, { code: 'wallet_failed', moneyMoved: 'no' }],
    ['a wallet that went away', refusal(4900), { code: 'wallet_closed', moneyMoved: 'unknown' }],
    ['any other trouble', { code: -32_603, message: 'oops' }, { code: 'wallet_failed', moneyMoved: 'unknown' }],
  ])('%s is told with an honest word about the money', async (_, problem, expected) => {
    const provider = asked(() => Promise.reject(problem));
    const { pay, failure } = payWorld({ answers: { intent: [recommended], ...found }, provider });
    expect(await failure(pay.createPayment(REQUEST))).toMatchObject(expected);
  });

  test('a question that nobody answers may still be answered later', async () => {
    const provider = asked(() => new Promise(() => {}));
    const { pay, failure } = payWorld({ answers: { intent: [recommended], ...found }, provider });
    expect(await failure(pay.createPayment(REQUEST))).toMatchObject({ code: 'wallet_timeout', moneyMoved: 'unknown' });
  });

  test('a call that is ended while the question is open does not say that nothing moved', async () => {
    const controller = new AbortController();
    const provider = asked(() => {
      controller.abort();
      return new Promise(() => {});
    });
    const { pay, failure } = payWorld({ answers: { intent: [recommended], ...found }, provider });
    const call = pay.createPayment(REQUEST, { signal: controller.signal });
    expect(await failure(call)).toMatchObject({ code: 'aborted', moneyMoved: 'unknown' });
  });

  const quiet = { stream: ['silence'] as const, notify: [open] };
  test('a transaction that the network refused has moved nothing, once blocks stand on it', async () => {
    let latest = 0x10;
    const provider = chainWallet(
      {
        eth_getTransactionReceipt: () => ({ status: '0x0', blockNumber: '0x10' }),
        eth_blockNumber: () => `0x${(latest++).toString(16)}`,
      },
      BigInt(AMOUNT),
    );
    const { pay, failure } = payWorld({ answers: { intent: [recommended], ...found, ...quiet }, provider });
    expect(await failure(pay.createPayment(REQUEST))).toMatchObject({ code: 'transaction_reverted', moneyMoved: 'no' });
    expect(latest).toBeGreaterThan(0x13);
  });

  test.each(['canceled', 'failed'])('an intent that is %s does not say that the money did not move', async (status) => {
    const { pay, failure } = payWorld({
      answers: { intent: [recommended], ...found, stream: [events(bodyOf(stands(status)))] },
      provider: chainWallet(),
    });
    expect(await failure(pay.createPayment(REQUEST))).toMatchObject({ moneyMoved: 'unknown' });
  });

  test('silence ends as unknown, after half an hour', async () => {
    const { pay, failure, time } = payWorld({
      answers: { intent: [recommended], ...found, ...quiet },
      provider: chainWallet(),
    });
    const startMs = time.nowMs();
    expect(await failure(pay.createPayment(REQUEST))).toMatchObject({ code: 'outcome_unknown', moneyMoved: 'unknown' });
    expect(time.nowMs() - startMs).toBeGreaterThanOrEqual(1_800_000);
  });
});

test('waiting for a transaction that was sent earlier tells its hash, and does not call it unpaid', async () => {
  const { pay, failure, service, heard } = payWorld({
    answers: { notify: [open], stream: [events(bodyOf(stands('canceled')))] },
  });
  const waiting = pay.waitForPayment({ paymentIntentId: INTENT_ID, sentTransactionId: PAY_HASH });
  expect(await failure(waiting)).toMatchObject({ code: 'payment_canceled', moneyMoved: 'unknown' });
  expect(service.of('notify')[0]?.body).toEqual({ paymentIntentId: INTENT_ID, transactionId: PAY_HASH });
  expect(heard.at(-1)?.detail).toMatchObject({ flow: 'regular', transactionId: PAY_HASH });
});
