// The events as OpenAPI `webhooks`: requests that the service sends.
import {
  EVENT_TYPES,
  type EventType,
  intentCanceledEvent,
  intentCreatedEvent,
  paymentEvent,
  uptoAuthorizationReceivedEvent,
} from '@svc-pay/protocol';
import type { NamedSchema } from '../routes/route.ts';
import type { SchemaObject } from './build-document.ts';
import { WEBHOOK_TAG } from './tags.ts';
import { EXAMPLE_IDS } from './texts/field-text.ts';

const INTENT_CREATED = { name: 'IntentCreatedEvent', schema: intentCreatedEvent };
const INTENT_CANCELED = { name: 'IntentCanceledEvent', schema: intentCanceledEvent };
const UPTO_RECEIVED = { name: 'UptoAuthorizationReceivedEvent', schema: uptoAuthorizationReceivedEvent };
const PAYMENT = { name: 'PaymentEvent', schema: paymentEvent };

export const EVENT_SCHEMAS: readonly NamedSchema[] = [INTENT_CREATED, INTENT_CANCELED, UPTO_RECEIVED, PAYMENT];

type Told = { readonly summary: string; readonly description: string; readonly schema: NamedSchema };

const TOLD: Readonly<Record<EventType, Told>> = {
  'payment_intent.created': {
    summary: 'An intent was created',
    description: 'Nobody has paid yet.',
    schema: INTENT_CREATED,
  },
  'payment_intent.canceled': {
    summary: 'An intent can no longer be paid',
    description: 'It was canceled, or it expired unpaid. Sent to endpoints that name this type.',
    schema: INTENT_CANCELED,
  },
  x402_upto_authorization_received: {
    summary: 'A payer signed a cap',
    description: 'The header is stored with the intent, and no money has moved. Deliver, then settle what it cost.',
    schema: UPTO_RECEIVED,
  },
  'payment.created': {
    summary: 'A payment has a transaction',
    description: 'Once per payment, before every other event of it. It is no proof of payment.',
    schema: PAYMENT,
  },
  'payment.updated': {
    summary: 'A payment changed and has not ended',
    description: '`previous_attributes` has what changed, as it was before.',
    schema: PAYMENT,
  },
  'payment.completed': {
    summary: 'A payment is completed',
    description: 'Its block lies deep enough. The one to ship goods on.',
    schema: PAYMENT,
  },
  'payment.failed': {
    summary: 'A payment failed',
    description: 'It is certain that this payment moves no money. The intent may be paid again.',
    schema: PAYMENT,
  },
  'payment.cancelled': {
    summary: 'A payment was canceled',
    description: 'Nothing was signed for it. Two l in the type, one in the status.',
    schema: PAYMENT,
  },
  'payment.refunded': {
    summary: 'A payment was given back',
    description: 'What an up-to payment did not use goes back within its own transaction and is no refund.',
    schema: PAYMENT,
  },
};

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string', example },
  example,
});

const PARAMETERS = [
  header('webhook-id', 'Id of the event; the same at every attempt', EXAMPLE_IDS.event),
  header('webhook-timestamp', 'Unix seconds of this attempt', '1794744005'),
  header(
    'webhook-signature',
    'Standard Webhooks, by the secret of the endpoint',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN=',
  ),
  header('x-svc-sequence', 'Grows with every event of an intent', '2'),
];

/** A key for each type of event. */
export function webhookOperations(): SchemaObject {
  return Object.fromEntries(EVENT_TYPES.map((type) => [type, { post: operationOf(type, TOLD[type]) }]));
}

function operationOf(type: EventType, { summary, description, schema }: Told): SchemaObject {
  return {
    operationId: `on_${type.replaceAll('.', '_')}`,
    summary,
    description,
    tags: [WEBHOOK_TAG.name],
    parameters: PARAMETERS,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema.name}` } } },
    },
    responses: {
      '2XX': { description: 'Taken. Any other answer, or none in time, is tried again.' },
      410: { description: 'Gone: the endpoint is switched off.' },
    },
  };
}
