// Lists of payments and intents: their queries and pages.
import * as z from 'zod/mini';
import { payment } from '../wire/payment.ts';
import { paymentIntent } from '../wire/payment-intent.ts';
import { isoTime } from '../wire/primitives.ts';
import { intentStatus, paymentStatus } from '../wire/statuses.ts';
import { pageLimit } from './queries.ts';

/** Visible ASCII: what an address, a hash or a name is made of. */
const word = z.string().check(z.regex(/^[\x21-\x7e]{1,150}$/));

const list = {
  limit: pageLimit,
  after: z.optional(z.string()),
  before: z.optional(z.string()),
  createdAfter: z.optional(isoTime),
  createdBefore: z.optional(isoTime),
  metadata: z.optional(z.string()),
};

export const paymentQuery = z.strictObject({
  ...list,
  status: z.optional(paymentStatus),
  chain: z.optional(word),
  token: z.optional(word),
  payer: z.optional(word),
  transactionId: z.optional(word),
  intentId: z.optional(z.string()),
  expand: z.optional(z.enum(['intent'])),
});

export const intentQuery = z.strictObject({
  ...list,
  status: z.optional(intentStatus),
  expand: z.optional(z.enum(['payment'])),
});

export const attemptQuery = z.strictObject({
  limit: list.limit,
  after: list.after,
  before: list.before,
  createdAfter: list.createdAfter,
  createdBefore: list.createdBefore,
});

const page = {
  /** Whether there is more in the direction of the page: older, or newer after `before`. */
  hasMore: z.boolean(),
  /** For `after`: the page of older items. Null at the end of the list. */
  nextCursor: z.nullable(z.string()),
  /** For `before`: newer items, also those that are added later. Null if the list is empty. */
  previousCursor: z.nullable(z.string()),
  /** With a metadata filter: every intent from this time on is found by the key. */
  metadataSince: z.optional(isoTime),
};

export const listedPayment = z.object({ ...payment.shape, paymentIntent: z.optional(paymentIntent) });
export type ListedPaymentBody = z.infer<typeof listedPayment>;
export const paymentList = z.object({ data: z.array(listedPayment), ...page });
export type PaymentList = z.infer<typeof paymentList>;

export const listedIntent = z.object({ ...paymentIntent.shape, payment: z.optional(z.nullable(payment)) });
export type ListedIntentBody = z.infer<typeof listedIntent>;
export const paymentIntentList = z.object({ data: z.array(listedIntent), ...page });
export type PaymentIntentList = z.infer<typeof paymentIntentList>;

export const attempt = z.object({
  id: z.string(),
  paymentIntentId: z.string(),
  /** Of the error reference. */
  code: z.string(),
  message: z.nullable(z.string()),
  payer: z.nullable(z.string()),
  createdAt: isoTime,
});
export type AttemptBody = z.infer<typeof attempt>;
export const attemptList = z.object({ data: z.array(attempt), hasMore: z.boolean() });

const { metadataSince: _, ...cursors } = page;
/** Of all intents of an account and mode. */
export const attemptPage = z.object({ data: z.array(attempt), ...cursors });
export type AttemptPage = z.infer<typeof attemptPage>;
