// Emitted events, their deliveries and attempts.
import * as z from 'zod/mini';
import { EVENT_TYPES } from '../wire/events.ts';
import { isoTime, jsonObject, wholeNumber } from '../wire/primitives.ts';

export const DELIVERY_STATUSES = ['pending', 'succeeded', 'failed', 'discarded'] as const;
const texts = z.catchall(z.object({}), z.string());
const milliseconds = z.nullable(wholeNumber);

export const delivery = z.object({
  eventId: z.string(),
  endpointId: z.string(),
  status: z.enum(DELIVERY_STATUSES),
  attemptCount: wholeNumber,
  /**
   * Time of the next attempt of a pending delivery. Null while an attempt is running, and while the endpoint is off.
   */
  nextAt: z.nullable(isoTime),
  reason: z.nullable(z.string()),
  createdAt: isoTime,
  finishedAt: z.nullable(isoTime),
});
export type Delivery = z.infer<typeof delivery>;

export const deliveryAttempt = z.object({
  attempt: wholeNumber,
  outcome: z.enum(['succeeded', 'refused', 'timed_out', 'unreachable', 'blocked', 'our_fault']),
  responseStatus: z.nullable(wholeNumber),
  address: z.nullable(z.string()),
  dnsMs: milliseconds,
  connectMs: milliseconds,
  tlsMs: milliseconds,
  firstByteMs: milliseconds,
  totalMs: wholeNumber,
  /** Secrets and signatures masked. */
  requestHeaders: texts,
  responseHeaders: texts,
  responseExcerpt: z.nullable(z.string()),
  error: z.nullable(z.string()),
  startedAt: isoTime,
  nextAt: z.nullable(isoTime),
});
export type DeliveryAttempt = z.infer<typeof deliveryAttempt>;

const emitted = {
  id: z.string(),
  type: z.enum(EVENT_TYPES),
  paymentIntentId: z.string(),
  paymentId: z.nullable(z.string()),
  sequence: wholeNumber,
  createdAt: isoTime,
  /** Number of deliveries still pending now. The number in the envelope is fixed when the event is written. */
  pendingWebhooks: wholeNumber,
  /** The envelope as sent. */
  event: jsonObject,
};

export const eventSummary = z.object({
  ...emitted,
  deliveries: z.object({
    pending: wholeNumber,
    succeeded: wholeNumber,
    failed: wholeNumber,
    discarded: wholeNumber,
  }),
});
export type EventSummary = z.infer<typeof eventSummary>;

export const eventDetail = z.object({
  ...emitted,
  deliveries: z.array(z.object({ ...delivery.shape, attempts: z.array(deliveryAttempt) })),
});
export type EventDetail = z.infer<typeof eventDetail>;

export const eventList = z.object({ data: z.array(eventSummary), hasMore: z.boolean() });
export const deliveryList = z.object({ data: z.array(delivery), hasMore: z.boolean() });

export const resendRequest = z.object({ endpointId: z.nullish(z.string()) });
export const resent = z.object({ deliveries: wholeNumber });
