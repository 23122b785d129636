// Exports of payments and ledger, and the statement of a day.
import * as z from 'zod/mini';
import { wholeNumber } from '../wire/primitives.ts';

export const DEFAULT_EXPORT_PAGE = 1_000;

/** Headers of a page of an export. */
export const EXPORT_CURSOR_HEADER = 'X-SVC-Export-Cursor';
export const EXPORT_MORE_HEADER = 'X-SVC-Export-More';
export const EXPORT_WATERMARK_HEADER = 'X-SVC-Export-Watermark';
export const JSON_LINES = 'application/x-ndjson';

export const exportQuery = z.strictObject({
  format: z.optional(z.enum(['csv', 'jsonl'])),
  /** 1 to 5,000 rows. */
  limit: z.optional(z.string().check(z.regex(/^(?:[1-9]\d{0,2}|[1-4]\d{3}|5000)$/))),
  cursor: z.optional(z.string()),
});

/** A booking of a payment, as an export has it. Amounts are whole coins as decimal text. */
export type ExportedPayment = {
  readonly paymentId: string;
  readonly paymentIntentId: string;
  readonly bookingId: string;
  readonly bookedAt: string;
  /**
   * `paid`: the payment was divided. `stranded`: its money lies with the processor. `returned`: it went back from there.
   * `refunded`: your wallet gave money of it back; `gross` and `net` are negative.
   */
  readonly kind: 'paid' | 'stranded' | 'returned' | 'refunded';
  /** The row takes back an earlier one: its amounts are that one's with the opposite sign. */
  readonly reversal: boolean;
  readonly chain: string;
  readonly tokenShortcode: string | null;
  readonly asset: string;
  /** 0 for a token that the service no longer knows: amounts are then in smallest units. */
  readonly decimals: number;
  readonly payer: string | null;
  /** What left the payer: net, fee, splits, refund and escrow together. */
  readonly gross: string;
  readonly fee: string;
  readonly splits: string;
  readonly refund: string;
  /** Could not be delivered and waits at the processor for its owner. */
  readonly escrow: string;
  readonly net: string;
  /** What the relayer paid for the transaction, in the chain's coin. */
  readonly gas: string;
  readonly gasToken: string | null;
  readonly transactionId: string;
  readonly block: string | null;
  /** JSON, as you gave it to the intent. */
  readonly metadata: string | null;
};

/** An entry of the ledger, as an export has it. */
export type ExportedEntry = {
  readonly entryId: string;
  readonly bookingId: string;
  readonly paymentId: string;
  readonly paymentIntentId: string;
  readonly bookedAt: string;
  readonly chain: string;
  /** Null for the chain's coin. */
  readonly tokenShortcode: string | null;
  readonly asset: string;
  readonly decimals: number;
  readonly account: string;
  readonly party: string;
  readonly amount: string;
  readonly transactionId: string;
  readonly logIndex: number;
  readonly block: string | null;
  readonly reverses: string | null;
};

export const statementQuery = z.strictObject({
  day: z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/)),
  cursor: z.optional(z.string()),
});

/** Whole coins as decimal text; negative where reversals outweigh. */
const amount = z.string().check(z.regex(/^-?\d+(?:\.\d+)?$/));

export const statementLine = z.object({
  chain: z.string(),
  tokenShortcode: z.nullable(z.string()),
  asset: z.string(),
  decimals: wholeNumber,
  gasToken: z.nullable(z.string()),
  gasDecimals: wholeNumber,
  /** Payments that were divided or returned, reversed ones included. */
  payments: wholeNumber,
  reversals: wholeNumber,
  gross: amount,
  fee: amount,
  splits: amount,
  refund: amount,
  escrow: amount,
  net: amount,
  /** Refunds, and what they gave back. `gross` and `net` are less by that. */
  refunds: wholeNumber,
  refunded: amount,
  gas: amount,
});
export type StatementLine = z.infer<typeof statementLine>;

/** A part of the day. The lines of all parts add up to the statement. */
export const statementPart = z.object({
  day: z.string(),
  lines: z.array(statementLine),
  hasMore: z.boolean(),
  /** For the next part. */
  cursor: z.nullable(z.string()),
});
export type StatementPart = z.infer<typeof statementPart>;
