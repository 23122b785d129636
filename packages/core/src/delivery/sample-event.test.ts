import { EVENT_TYPES, intentSnapshot, payment, paymentIntent, webhookEvent } from '@svc-pay/protocol';
import { newId } from '@svc-pay/protocol/ids';
import { expect, test } from 'vitest';
import { draftSample, SAMPLE_METADATA_KEY } from './sample-event.ts';

const NOW_MS = 1_794_744_000_000;
const accountId = newId('account', NOW_MS);
const SHAPES = { payment_intent: paymentIntent, x402_upto_authorization_received: intentSnapshot, payment };

test.each(EVENT_TYPES)(
  'a sample of %s is an event with every field of its table, and says that it is a sample',
  (type) => {
    const draft = draftSample(accountId, type, { requestId: 'req_1', idempotencyKey: null }, NOW_MS);
    const body = JSON.parse(`${draft.bodyBefore}2${draft.bodyAfter}`);
    expect(webhookEvent.parse(body)).toEqual(body);
    expect(body).toMatchObject({ id: draft.id, type, livemode: false, pending_webhooks: 2 });
    const { object } = body.data;
    expect(object.metadata[SAMPLE_METADATA_KEY]).toBe(true);
    const shape = SHAPES[(type.includes('.') ? type.split('.')[0] : type) as keyof typeof SHAPES];
    const optional = type === 'payment.completed' || type === 'payment.refunded' ? [] : ['completedAt'];
    const fields = Object.keys(shape.shape).filter((field) => !optional.includes(field));
    expect(Object.keys(object)).toEqual(expect.arrayContaining(fields));
  },
);
