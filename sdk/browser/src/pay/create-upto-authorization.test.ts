import { expect, test } from 'vitest';
import { type Answer, events, INTENT_ID, offered, refused, SAMPLE, stands } from '../testing/fake-service.ts';
import { PAYER } from '../testing/fake-wallet.ts';
import { payWorld } from '../testing/pay-world.ts';

const REQUEST = { usdAmount: '12.50', tokenShortcode: 'base_usdc', maxTimeoutSeconds: 3_600 } as const;
const intent = [offered({ ...SAMPLE, scheme: 'upto', maxTimeoutSeconds: 3_600 })];
const confirmed = (ok: boolean, more: object = {}): Answer => ({
  status: 200,
  body: {
    ok,
    alreadyConfirmed: false,
    status: ok ? 'requires_payment' : 'failed',
    paymentIntent: { id: INTENT_ID },
    expiresAt: '2026-01-01T00:00:00.000Z',
    ...more,
  },
});

test('signs a cap and confirms it; nothing is charged and no end is told', async () => {
  const { pay, time, service, provider, heard, terminals } = payWorld({
    answers: { intent, confirm: [confirmed(true)] },
  });
  expect(await time.run(pay.createUptoAuthorization(REQUEST))).toEqual({
    paymentIntentId: INTENT_ID,
    attemptId: heard[0]?.detail.attemptId,
    status: 'requires_payment',
    capAmount: '12500000',
    asset: SAMPLE.asset,
    network: 'eip155:8453',
    payer: PAYER,
    expiresAt: '2026-01-01T00:00:00.000Z',
  });
  expect(service.of('intent')[0]?.body).toEqual({ ...REQUEST, x402Upto: true });
  expect(service.of('settle')).toEqual([]);
  expect(provider.signed()[0]?.message['validBefore']).toBe(String(Math.floor(time.nowMs() / 1_000) + 3_600));
  expect(heard.at(-1)?.detail).toMatchObject({ kind: 'upto', moneyMoved: 'no' });
  expect(terminals()).toEqual([]);
});

test('waiting goes on with the same attempt and tells its one end, however often one waits', async () => {
  const { pay, time, terminals } = payWorld({
    answers: { intent, confirm: [confirmed(true)], stream: [events((stands('completed') as { body: unknown }).body)] },
  });
  const { paymentIntentId, attemptId } = await time.run(pay.createUptoAuthorization(REQUEST));
  for (let times = 0; times < 2; times += 1) {
    expect(await time.run(pay.waitForPayment({ paymentIntentId, attemptId }))).toMatchObject({ status: 'completed' });
  }
  expect(terminals()).toMatchObject([{ type: 'svc-sdk-transaction-completed', detail: { attemptId, kind: 'upto' } }]);
});

test('a lost confirm is repeated with the same header', async () => {
  const { pay, time, service } = payWorld({ answers: { intent, confirm: ['broken', 'silence', confirmed(true)] } });
  await time.run(pay.createUptoAuthorization(REQUEST));
  expect(new Set(service.of('confirm').map(({ body }) => JSON.stringify(body))).size).toBe(1);
});

test.each<[string, Answer[], object]>([
  [
    'refused by its verification',
    [confirmed(false, { error: 'insufficient_funds' })],
    { code: 'insufficient_funds', moneyMoved: 'no' },
  ],
  ['refused outright', [refused(409, 'upto_already_confirmed')], { code: 'upto_already_confirmed', moneyMoved: 'no' }],
  ['never heard of', ['silence'], { code: 'outcome_unknown', moneyMoved: 'unknown' }],
  [
    'answered with nonsense',
    [{ status: 200, body: { ok: 'yes' } }],
    { code: 'outcome_unknown', moneyMoved: 'unknown' },
  ],
  [
    'kept out',
    [refused(503, 'chain_unavailable', { retryable: true })],
    { code: 'chain_unavailable', moneyMoved: 'no' },
  ],
])('a cap that is %s ends once, and honestly', async (_, confirm, expected) => {
  const { pay, failure, terminals } = payWorld({ answers: { intent, confirm } });
  expect(await failure(pay.createUptoAuthorization(REQUEST))).toMatchObject(expected);
  expect(terminals()).toHaveLength(1);
});

test('an up-to request never falls back to a flow that would take the whole cap', async () => {
  const { pay, failure } = payWorld({ answers: { intent: [offered()] } });
  expect(await failure(pay.createUptoAuthorization(REQUEST))).toMatchObject({ code: 'x402_upto_not_available' });
});

test('a cap that lives longer than was asked is not signed', async () => {
  const { pay, failure, provider } = payWorld({
    answers: { intent: [offered({ ...SAMPLE, scheme: 'upto', maxTimeoutSeconds: 3_601 })] },
  });
  expect(await failure(pay.createUptoAuthorization(REQUEST))).toMatchObject({
    code: 'acceptance_refused',
    reason: 'window',
  });
  expect(provider.signed()).toEqual([]);
});
