// Exports of payments and ledger, and the statement of a day.
import * as z from 'zod/mini';
import { wholeNumber } from '../wire/primitives.ts';

export const MAX_EXPORT_PAGE = 5_000;
export const DEFAULT_EXPORT_PAGE = 1_000;

/** Headers of a page of an export. */
export const EXPORT_CURSOR_HEADER = 'X-SVC-Export-Cursor';
export const EXPORT_MORE_HEADER = 'X-SVC-Export-More';
export const EXPORT_WATERMARK_HEADER = 'X-SVC-Export-Watermark';
export const JSON_LINES = 'application/x-ndjson';

export const exportQuery = z.strictObject({
  format: z.optional(z.enum(['csv', 'jsonl'])),
  limit: z.optional(z.string().check(z.regex(/^(?:[1-9]\d{0,2}|[1-4]\d{3}|5000)$/))),
  cursor: z.optional(z.string()),
});

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
  payments: wholeNumber,
  reversals: wholeNumber,
  gross: amount,
  fee: amount,
  splits: amount,
  refund: amount,
  escrow: amount,
  net: amount,
  gas: amount,
});
export type StatementTotals = z.infer<typeof statementLine>;

/** A part of the day. The lines of all parts add up to the statement. */
export const statementPart = z.object({
  day: z.string(),
  lines: z.array(statementLine),
  hasMore: z.boolean(),
  /** For the next part. */
  cursor: z.nullable(z.string()),
});
export type StatementPart = z.infer<typeof statementPart>;
