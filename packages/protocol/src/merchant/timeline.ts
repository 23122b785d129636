// Everything that happened to one intent and its money, in the order of time.
import * as z from 'zod/mini';
import { EVENT_TYPES } from '../wire/events.ts';
import { paymentIntent } from '../wire/payment-intent.ts';
import { atomicText, isoTime, wholeNumber } from '../wire/primitives.ts';
import { paymentStatus } from '../wire/statuses.ts';
import { DELIVERY_STATUSES, deliveryAttempt } from './event-log.ts';
import { refund } from './refund.ts';

/** Why an intent stands where it stands, beside the codes of the error reference. */
export const TIMELINE_SITUATIONS = [
  'awaits_payer',
  'awaits_charge',
  'awaits_lane',
  'awaits_next_try',
  'awaits_block',
  'awaits_final_block',
  'awaits_proof',
  'awaits_rest',
  'awaits_merchant',
  'paid',
  'paid_and_final',
  'refunded',
  'canceled',
  'released',
  'expired',
] as const;
export type TimelineSituation = (typeof TIMELINE_SITUATIONS)[number];

/** Why an entry is as it is, beside the codes of the error reference and the reasons of deliveries. */
export const TIMELINE_REASONS = [
  'underpaid',
  'overpaid',
  'paid_aside',
  'batch_reverted',
  'superseded',
  'batch_replaced',
  'somebody_else_sent_it',
  'block_removed',
] as const;
export type TimelineReason = (typeof TIMELINE_REASONS)[number];

/** An amount with its sign: what left an account is negative. */
const signedAtomic = z.string().check(z.regex(/^(?:0|-?[1-9]\d{0,77})$/));

const common = {
  at: isoTime,
  /** A code, or null where nothing needs a reason. */
  why: z.nullable(z.string()),
};

const offer = z.object({
  flow: z.enum(['x402', 'regular']),
  scheme: z.string(),
  chain: z.string(),
  tokenShortcode: z.string(),
  amount: atomicText,
  payTo: z.string(),
  confirmations: wholeNumber,
});

const intentCreated = z.object({ ...common, kind: z.literal('intent_created'), offers: z.array(offer) });

const intentCanceled = z.object({ ...common, kind: z.literal('intent_canceled') });

const attemptRefused = z.object({
  ...common,
  kind: z.literal('attempt_refused'),
  payer: z.nullable(z.string()),
});

const authorizationReceived = z.object({
  ...common,
  kind: z.literal('authorization_received'),
  authorizationKind: z.string(),
  chain: z.string(),
  asset: z.string(),
  payer: z.string(),
  recipient: z.string(),
  /** The recipient is the merchant's own wallet. */
  direct: z.boolean(),
  /** What was signed: the price, or the cap of an up-to intent. */
  cap: atomicText,
  /** Null while an up-to authorization is not charged. */
  charged: z.nullable(atomicText),
  /** What is left to the payer; null while that is not decided. */
  released: z.nullable(atomicText),
  validUntil: isoTime,
  /** Since when it can't move money any more. */
  closedAt: z.nullable(isoTime),
});

const settlementStatus = z.enum(['queued', 'held', 'batched', 'mined', 'completed', 'failed', 'canceled']);

const paymentStarted = z.object({
  ...common,
  kind: z.literal('payment_started'),
  paymentId: z.string(),
  status: paymentStatus,
  chain: z.string(),
  tokenShortcode: z.string(),
  asset: z.string(),
  payer: z.nullable(z.string()),
  amount: atomicText,
  requestedAmount: z.nullable(atomicText),
  paidAmount: z.nullable(atomicText),
  /** With the parts before it. */
  paidTotal: z.nullable(atomicText),
  refundDueAmount: z.nullable(atomicText),
  transactionId: z.nullable(z.string()),
  /** The item of a batched transaction. */
  transactionSplitId: z.nullable(z.string()),
  explorerUrl: z.nullable(z.string()),
  /** Null: no lane carries it, it was read on the chain. */
  settlementStatus: z.nullable(settlementStatus),
  /** Not sent before. */
  retryAt: z.nullable(isoTime),
});

const batchStatus = z.enum(['signed', 'broadcast', 'mined', 'finalized', 'replaced', 'dropped']);

const batchJoined = z.object({
  ...common,
  kind: z.literal('batch_joined'),
  batchId: z.string(),
  /** Exactly one of both. */
  paymentId: z.nullable(z.string()),
  refundId: z.nullable(z.string()),
  chain: z.string(),
  relayer: z.string(),
  nonce: z.string(),
  /** Payments and refunds of the batch, those of other merchants too. */
  itemCount: wholeNumber,
  batchStatus,
});

const transactionSent = z.object({
  ...common,
  kind: z.literal('transaction_sent'),
  batchId: z.string(),
  chain: z.string(),
  transactionId: z.string(),
  explorerUrl: z.nullable(z.string()),
  /** 1 for the first, then one more for each with a higher fee. */
  attempt: wholeNumber,
  outcome: z.enum(['awaits_block', 'mined', 'final', 'superseded', 'replaced', 'reverted']),
  blockNumber: z.nullable(z.string()),
});

const blockFinal = z.object({
  ...common,
  kind: z.literal('block_final'),
  batchId: z.string(),
  chain: z.string(),
  transactionId: z.string(),
  explorerUrl: z.nullable(z.string()),
  blockNumber: z.nullable(z.string()),
});

const bookEntry = z.object({
  id: z.string(),
  account: z.string(),
  party: z.string(),
  chain: z.string(),
  asset: z.string(),
  amount: signedAtomic,
  transactionId: z.string(),
  logIndex: z.int(),
  /** The entry that it takes back after a reorg. */
  reverses: z.nullable(z.string()),
});

const booked = z.object({
  ...common,
  kind: z.literal('booked'),
  paymentId: z.string(),
  /** They sum to zero in each asset. */
  entries: z.array(bookEntry),
});

const strandedTransfer = z.object({
  ...common,
  kind: z.literal('money_stranded'),
  paymentId: z.nullable(z.string()),
  action: z.enum(['settle', 'return', 'hold']),
  status: z.enum(['queued', 'batched', 'mined', 'done', 'blocked']),
  chain: z.string(),
  transactionId: z.string(),
  explorerUrl: z.nullable(z.string()),
});

const eventWritten = z.object({
  ...common,
  kind: z.literal('event_written'),
  eventId: z.string(),
  eventType: z.enum(EVENT_TYPES),
  paymentId: z.nullable(z.string()),
  deliveries: z.array(
    z.object({
      endpointId: z.string(),
      status: z.enum(DELIVERY_STATUSES),
      attemptCount: wholeNumber,
      nextAt: z.nullable(isoTime),
      reason: z.nullable(z.string()),
    }),
  ),
});

const deliveryTried = z.object({
  ...common,
  kind: z.literal('delivery_tried'),
  eventId: z.string(),
  eventType: z.enum(EVENT_TYPES),
  endpointId: z.string(),
  attempt: wholeNumber,
  outcome: deliveryAttempt.shape.outcome,
  responseStatus: z.nullable(wholeNumber),
  totalMs: wholeNumber,
  nextAt: z.nullable(isoTime),
});

const refundStarted = z.object({ ...common, kind: z.literal('refund_started'), refund });
const refundEnded = z.object({ ...common, kind: z.literal('refund_ended'), refund });

export const timelineEntry = z.union([
  intentCreated,
  intentCanceled,
  attemptRefused,
  authorizationReceived,
  paymentStarted,
  batchJoined,
  transactionSent,
  blockFinal,
  booked,
  strandedTransfer,
  eventWritten,
  deliveryTried,
  refundStarted,
  refundEnded,
]);
export type TimelineEntry = z.infer<typeof timelineEntry>;
export type TimelineKind = TimelineEntry['kind'];

export const paymentTimeline = z.object({
  paymentIntent,
  /** Code of the situation, or of the error reference. */
  why: z.string(),
  /** No further entry will come, unless a block is removed or a delivery is sent again. */
  atRest: z.boolean(),
  /** The rows were read at this time, all at once. */
  asOf: isoTime,
  /** Oldest first. */
  entries: z.array(timelineEntry),
  /** There is more than the entries show. */
  truncated: z.boolean(),
});
export type PaymentTimeline = z.infer<typeof paymentTimeline>;
