import { used } from '@svc-pay/core/testing/contracts';
import { createApplyHarness } from '@svc-pay/postgres/testing';
import { expect, test } from 'vitest';
import { askSvc, callSvc } from '../testing/call-svc.ts';
import { svcEnvironment } from '../testing/run-svc.ts';

const harness = await createApplyHarness();
const environment = svcEnvironment(harness.url);
const { accountId } = harness.caller;

async function heldPayment() {
  const intent = await harness.offer({ use: 'shared' });
  const { paymentId, ...signed } = await harness.claim(intent);
  const { log } = await used(harness, intent, signed);
  const options = ['--account', accountId, '--mode', 'test', '--payment', paymentId];
  return { intent, paymentId, transactionId: log.position.transactionId, options };
}

test('a held payment is accepted or refused once, and each is on record', async () => {
  const [one, other] = [await heldPayment(), await heldPayment()];
  const accept = await askSvc(environment, 'payments', 'resolve', ...one.options, '--accept');
  expect(accept).toMatchObject({
    exitCode: 0,
    document: {
      payment: one.paymentId,
      intent: one.intent.intentId,
      status: 'completed',
      transfer: { transactionId: one.transactionId, wallet: one.intent.acceptance.payTo },
    },
  });
  const refuse = await callSvc(environment, 'payments', 'resolve', ...other.options, '--refuse');
  expect(refuse).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(`${other.paymentId} is failed`) });
  for (const { options } of [one, other])
    expect(await askSvc(environment, 'payments', 'resolve', ...options, '--accept')).toMatchObject({
      exitCode: 1,
      document: { error: 'payment_not_held' },
    });
  const { rows } = await harness.pool.query(
    "select action, target from svc.audit where action like 'payment.%' order by action",
  );
  expect(rows).toEqual([
    { action: 'payment.accepted', target: one.paymentId },
    { action: 'payment.refused', target: other.paymentId },
  ]);
});

test('without a word, with both words, and for an unknown payment nothing is done', async () => {
  const { options, paymentId } = await heldPayment();
  const resolve = (...more: string[]) => askSvc(environment, 'payments', 'resolve', ...options, ...more);
  for (const words of [[], ['--accept', '--refuse']]) expect(await resolve(...words)).toMatchObject({ exitCode: 64 });
  expect(await resolve('--accept', '--mode', 'live')).toMatchObject({
    exitCode: 1,
    document: { error: 'payment_unknown' },
  });
  const { rows } = await harness.pool.query('select status from svc.payments where id = $1', [paymentId]);
  expect(rows).toEqual([{ status: 'pending' }]);
});
