// Figures of an account over time, as they were folded from its books.
import * as z from 'zod/mini';
import { isoTime, wholeNumber } from '../wire/primitives.ts';

/** Longest range of an overview, in intervals. */
export const MAX_OVERVIEW_INTERVALS = 400;

export const OVERVIEW_INTERVALS = ['hour', 'day'] as const;
export type OverviewInterval = (typeof OVERVIEW_INTERVALS)[number];

export const overviewQuery = z.strictObject({
  /** Begin of the first interval (UTC); a time within it counts as its begin. */
  from: isoTime,
  /** Not included. */
  to: isoTime,
  interval: z.optional(z.enum(OVERVIEW_INTERVALS)),
});
export type OverviewQuery = z.infer<typeof overviewQuery>;

/** Whole coins as decimal text. */
const amount = z.string().check(z.regex(/^\d+(?:\.\d+)?$/));
/** Dollars as decimal text, to the millionth. */
const usd = z.string().check(z.regex(/^\d+(?:\.\d{1,6})?$/));
/** A part of 1 as decimal text with six decimal places. */
const share = z.string().check(z.regex(/^\d+\.\d{6}$/));

const settleTime = z.object({
  /** Payments that were timed: those that the service settled after they began. */
  count: wholeNumber,
  p50Ms: wholeNumber,
  p95Ms: wholeNumber,
});

const figures = {
  completed: wholeNumber,
  failed: wholeNumber,
  canceled: wholeNumber,
  /** Their money is not what the intent asked for, and nobody has accepted it. */
  mismatched: wholeNumber,
  refunds: wholeNumber,
  /** Bookings that a reorg took back. They are in no other figure. */
  reversals: wholeNumber,
  /** Completed of completed and failed; null where there are none. */
  successRate: z.nullable(share),
  /** By the rate at which each payment was offered. */
  volumeUsd: usd,
  refundedUsd: usd,
  /** Payments without a rate, which the figures in dollars do not have. */
  unpriced: wholeNumber,
  /** Gas of payments whose value is known, in dollars. */
  gasUsd: usd,
  /** Of the value of the payments that this gas settled; null where there are none. */
  gasShare: z.nullable(share),
  settleTime: z.nullable(settleTime),
};

const overviewToken = z.object({
  chain: z.string(),
  tokenShortcode: z.nullable(z.string()),
  asset: z.string(),
  /** 0 for a token that the service no longer knows: amounts are then in smallest units, and dollars are 0. */
  decimals: wholeNumber,
  /** What payments brought to you, your splits and the platform, those that are mismatched too. */
  volume: amount,
  volumeUsd: usd,
  refunded: amount,
  /** In the chain's coin. */
  gas: amount,
  gasToken: z.nullable(z.string()),
  gasDecimals: wholeNumber,
  gasShare: z.nullable(share),
});
export type OverviewToken = z.infer<typeof overviewToken>;

const overviewPoint = z.object({
  /** Begin of the interval. */
  at: isoTime,
  ...figures,
  tokens: z.array(overviewToken),
});
export type OverviewPoint = z.infer<typeof overviewPoint>;

export const overview = z.object({
  /** Everything that was committed by then is counted; null while nothing was counted yet. */
  asOf: z.nullable(isoTime),
  from: isoTime,
  to: isoTime,
  interval: z.enum(OVERVIEW_INTERVALS),
  total: z.object({ ...figures, tokens: z.array(overviewToken) }),
  /** Intervals in which something happened, oldest first. */
  points: z.array(overviewPoint),
  /** Why payments failed, most frequent first: codes of the error reference. */
  failures: z.array(z.object({ code: z.string(), count: wholeNumber })),
});
export type Overview = z.infer<typeof overview>;
