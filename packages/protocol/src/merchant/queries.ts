// Query parameters of lists. Values are text; a repeated or unknown parameter is refused.
import * as z from 'zod/mini';
import { EVENT_TYPES } from '../wire/events.ts';
import { isoTime } from '../wire/primitives.ts';
import { DELIVERY_STATUSES } from './event-log.ts';

export const DEFAULT_PAGE = 25;

export const pageLimit = z.optional(z.string().check(z.regex(/^(?:[1-9]\d?|100)$/)));

const page = {
  limit: pageLimit,
  startingAfter: z.optional(z.string()),
};

export const endpointQuery = z.strictObject(page);
export const deliveryQuery = z.strictObject({ ...page, status: z.optional(z.enum(DELIVERY_STATUSES)) });
export const eventQuery = z.strictObject({
  ...page,
  type: z.optional(z.enum(EVENT_TYPES)),
  intentId: z.optional(z.string()),
  paymentId: z.optional(z.string()),
  createdAfter: z.optional(isoTime),
  createdBefore: z.optional(isoTime),
  undelivered: z.optional(z.enum(['true', 'false'])),
});
export type EventQuery = z.infer<typeof eventQuery>;
