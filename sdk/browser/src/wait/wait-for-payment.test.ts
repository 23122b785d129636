import { describe, expect, test } from 'vitest';
import { type Answer, events, INTENT_ID, refused, stands } from '../testing/fake-service.ts';
import { payWorld } from '../testing/pay-world.ts';
import { chainWallet } from '../testing/regular-actors.ts';

const told = (status: string) => (stands(status) as { body: unknown }).body;
const wait = { paymentIntentId: INTENT_ID };

test.each<[string, object, string]>([
  ['failed', { code: 'payment_failed', moneyMoved: 'no' }, 'failed'],
  ['canceled', { code: 'payment_canceled', moneyMoved: 'no' }, 'failed'],
  ['mismatched', { code: 'payment_mismatched', moneyMoved: 'yes' }, 'mismatched'],
])('%s ends the wait with an error, once', async (status, expected, event) => {
  const { pay, failure, terminals } = payWorld({ answers: { stream: [events(told('processing'), told(status))] } });
  expect(await failure(pay.waitForPayment(wait))).toMatchObject(expected);
  expect(terminals()).toMatchObject([{ type: `svc-sdk-transaction-${event}`, detail: { paymentIntentId: INTENT_ID } }]);
});

test.each([
  ['a wait that is told so', { endsOnMismatch: false }],
  ['a wait for another transaction', { sentTransactionId: `0x${'b2'.repeat(32)}` }],
])('mismatched does not end %s, and is told', async (_, more) => {
  const { pay, time, heard } = payWorld({ answers: { stream: [events(told('mismatched'), told('completed'))] } });
  expect(await time.run(pay.waitForPayment({ ...wait, ...more }))).toMatchObject({ status: 'completed' });
  expect(heard.map(({ detail }) => detail.status)).toEqual([null, 'mismatched', 'completed']);
});

test('needs no wallet, and tells every change it hears', async () => {
  const { pay, time, heard } = payWorld({
    answers: { stream: [events(told('requires_payment'), told('processing'), told('completed'))] },
  });
  expect(await time.run(pay.waitForPayment(wait))).toMatchObject({ status: 'completed', payer: null });
  expect(heard.map(({ detail }) => detail.status)).toEqual([null, 'requires_payment', 'processing', 'completed']);
});

test('an up-to authorization that the service holds is told by its cap, and not forgotten', async () => {
  const metadata = { svc_x402_upto_max_amount_atomic: '5000000' };
  const held = { paymentIntent: { id: INTENT_ID, status: 'requires_payment', metadata } };
  const { pay, time, heard } = payWorld({ answers: { stream: [events(held, told('processing'), told('completed'))] } });
  await time.run(pay.waitForPayment(wait));
  expect(heard.map(({ detail }) => detail.authorizedCap)).toEqual([null, '5000000', '5000000', '5000000']);
});

describe('a transaction that was sent before the page was closed', () => {
  const sent = { ...wait, sentTransactionId: `0x${'b2'.repeat(32)}` };
  const answers = { notify: [stands('requires_payment')], stream: ['silence'] as const };
  const reverted = (blockNumber: string) =>
    chainWallet({ eth_getTransactionReceipt: () => ({ status: '0x0', blockNumber }), eth_blockNumber: () => '0x20' });

  test('and that the network refused ends the wait, and nothing is asked of the payer', async () => {
    const provider = reverted('0x10');
    const { pay, failure, time } = payWorld({ answers, provider });
    const startMs = time.nowMs();
    expect(await failure(pay.waitForPayment(sent))).toMatchObject({ code: 'transaction_reverted', moneyMoved: 'no' });
    expect(time.nowMs() - startMs).toBeLessThan(60_000);
    const silent = new Set(['eth_getTransactionReceipt', 'eth_blockNumber']);
    expect(provider.methods().filter((method) => !silent.has(method))).toEqual([]);
  });

  test.each([
    ['stands in the newest block', reverted('0x1f')],
    ['is not known to the wallet', chainWallet({ eth_getTransactionReceipt: () => null })],
    ['went through', chainWallet()],
  ])('stays unknown while it %s', async (_, provider) => {
    const { pay, failure } = payWorld({ answers, provider });
    expect(await failure(pay.waitForPayment(sent, { timeoutMs: 60_000 }))).toMatchObject({ code: 'outcome_unknown' });
  });
});

test('a stream that broke is opened again; one that is refused is left', async () => {
  const answers = { stream: [events('x'), 'broken', events(told('completed'))] as Answer[] };
  const world = payWorld({ answers });
  await world.time.run(world.pay.waitForPayment(wait));
  expect(world.service.of('stream')).toHaveLength(3);
});

test('has an end of its own, and knows nothing then', async () => {
  const { pay, failure, time } = payWorld({ answers: { notify: [stands('requires_payment')], stream: ['silence'] } });
  const startMs = time.nowMs();
  expect(await failure(pay.waitForPayment(wait, { timeoutMs: 60_000 }))).toMatchObject({
    code: 'outcome_unknown',
    moneyMoved: 'unknown',
    retryable: true,
  });
  expect(time.nowMs() - startMs).toBe(60_000);
});

test('an intent that is not ours ends it at once', async () => {
  const { pay, failure, service } = payWorld({
    answers: { notify: [refused(404, 'not_found')], stream: [refused(404, 'not_found')] },
  });
  expect(await failure(pay.waitForPayment(wait))).toMatchObject({ code: 'not_found', moneyMoved: 'unknown' });
  expect(service.of('notify')).toHaveLength(1);
});

test('can be left at any time', async () => {
  const controller = new AbortController();
  const { pay, failure, terminals } = payWorld({ answers: { notify: [stands('processing')], stream: ['silence'] } });
  const call = pay.waitForPayment(wait, { signal: controller.signal });
  setImmediate(() => setImmediate(() => controller.abort()));
  expect(await failure(call)).toMatchObject({ code: 'aborted', moneyMoved: 'unknown' });
  expect(terminals()).toHaveLength(1);
});
