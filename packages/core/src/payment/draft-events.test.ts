import { webhookEvent } from '@svc-pay/protocol';
import { expect, test } from 'vitest';
import type { CausedEvent } from '../event/event-draft.ts';
import { confirmed, sampleIntent, samplePayment } from '../testing/samples.ts';
import { draftEvents } from './payment-events.ts';

const origin = { requestId: 'req_1', idempotencyKey: 'once' };
const nowMs = 1_700_000_009_876;
const draft = (caused: readonly CausedEvent[], after: Parameters<typeof draftEvents>[1], last = 0) =>
  draftEvents(caused, after, origin, nowMs, last);
const bodyOf = ({ bodyBefore, bodyAfter }: { bodyBefore: string; bodyAfter: string }, pending: number) =>
  JSON.parse(`${bodyBefore}${pending}${bodyAfter}`) as unknown;

test('the two halves with a number between them are the envelope of the wire', () => {
  const [event] = draft([{ type: 'payment_intent.created' }], { intent: sampleIntent(), payment: null });
  const body = bodyOf(event!, 3);
  expect(webhookEvent.parse(body)).toEqual(body);
  expect(body).toMatchObject({
    id: event!.id,
    object: 'event',
    created: 1_700_000_009,
    livemode: false,
    pending_webhooks: 3,
    request: { id: 'req_1', idempotency_key: 'once' },
    type: 'payment_intent.created',
  });
});

test('metadata that looks like the seam changes nothing', () => {
  const intent = sampleIntent({ metadata: { '"pending_webhooks":': ',"request":{}', a: '\u0000"\\' } });
  const [event] = draft([{ type: 'payment_intent.created' }], { intent, payment: null });
  expect(bodyOf(event!, 12)).toMatchObject({ pending_webhooks: 12, data: { object: { metadata: intent.metadata } } });
});

test('an up-to confirm carries the snapshot, with the payer and the cap', () => {
  const intent = confirmed(sampleIntent());
  const [event] = draft([{ type: 'x402_upto_authorization_received' }], { intent, payment: null });
  const body = bodyOf(event!, 0);
  expect(webhookEvent.parse(body)).toEqual(body);
  expect(body).toMatchObject({
    data: {
      object: {
        object: 'payment_intent',
        payer: intent.confirmedPayer,
        amountUsd: 1.5,
        metadata: { svc_x402_upto_max_amount_atomic: '1500000' },
      },
    },
  });
});

test('payment events carry the payment, previous attributes, and a growing sequence', () => {
  const after = {
    intent: sampleIntent(),
    payment: samplePayment({ transactionId: '0xabc', status: 'completed', completedAtMs: nowMs }),
  };
  const events = draft([{ type: 'payment.created' }, { type: 'payment.completed' }], after, 4);
  expect(events.map(({ sequence }) => sequence)).toEqual([5, 6]);
  for (const event of events) {
    expect(event.paymentId).toBe(after.payment.id);
    const body = bodyOf(event, 1);
    expect(webhookEvent.parse(body)).toEqual(body);
  }
});
