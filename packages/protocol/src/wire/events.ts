// Webhook events: the envelope, the nine types and the object of each.
import * as z from 'zod/mini';
import { payment } from './payment.ts';
import { intentSnapshot, paymentIntent } from './payment-intent.ts';
import { jsonObject, wholeNumber } from './primitives.ts';

/** Dated version of this release's wire format; pinned per account and endpoint. */
export const API_VERSION = '2026-11-15';

export const PAYMENT_EVENT_TYPES = [
  'payment.created',
  'payment.updated',
  'payment.completed',
  'payment.failed',
  'payment.cancelled',
  'payment.refunded',
] as const;

export const EVENT_TYPES = [
  'payment_intent.created',
  'x402_upto_authorization_received',
  'payment_intent.canceled',
  ...PAYMENT_EVENT_TYPES,
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

const envelope = {
  id: z.string(),
  object: z.literal('event'),
  api_version: z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/)),
  created: wholeNumber,
  livemode: z.boolean(),
  pending_webhooks: wholeNumber,
  request: z.object({ id: z.string(), idempotency_key: z.nullable(z.string()) }),
};

export const intentCreatedEvent = z.object({
  ...envelope,
  type: z.literal('payment_intent.created'),
  data: z.object({ object: paymentIntent }),
});
export const intentCanceledEvent = z.object({
  ...envelope,
  type: z.literal('payment_intent.canceled'),
  data: z.object({ object: paymentIntent }),
});
export const uptoAuthorizationReceivedEvent = z.object({
  ...envelope,
  type: z.literal('x402_upto_authorization_received'),
  data: z.object({ object: intentSnapshot }),
});
export const paymentEvent = z.object({
  ...envelope,
  type: z.enum(PAYMENT_EVENT_TYPES),
  data: z.object({ object: payment, previous_attributes: z.optional(jsonObject) }),
});

export const webhookEvent = z.union([
  intentCreatedEvent,
  uptoAuthorizationReceivedEvent,
  intentCanceledEvent,
  paymentEvent,
]);
export type WebhookEvent = z.infer<typeof webhookEvent>;
