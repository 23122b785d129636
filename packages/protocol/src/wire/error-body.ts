// Body of a refusal, the same on every route.
import * as z from 'zod/mini';

export const MONEY_MOVED = ['no', 'yes', 'unknown'] as const;
export type MoneyMoved = (typeof MONEY_MOVED)[number];

export const errorBody = z.object({
  error: z.string(),
  message: z.string(),
  param: z.nullable(z.string()),
  retryable: z.boolean(),
  moneyMoved: z.enum(MONEY_MOVED),
  requestId: z.string(),
  docUrl: z.string(),
});
export type ErrorBody = z.infer<typeof errorBody>;
