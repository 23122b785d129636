// A payment in answers and webhooks.
import * as z from 'zod/mini';
import { atomicText, isoTime, jsonObject, usdText, wholeNumber } from './primitives.ts';
import { paymentStatus } from './statuses.ts';

const intentOfPayment = z.looseObject({
  intentCode: wholeNumber,
  amount: atomicText,
  metadata: jsonObject,
});

const paidSplit = z.object({ recipient: z.string(), amount: atomicText });

/**
 * Beyond the interface's own fields. Absent in events that an earlier release stored; null while unknown. A publishable key
 * sees neither `feeAmount` nor `splits` nor `netAmount`.
 */
const additions = {
  payer: z.optional(z.nullable(z.string())),
  chain: z.optional(z.string()),
  tokenShortcode: z.optional(z.string()),
  decimals: z.optional(z.nullable(wholeNumber)),
  amountUsd: z.optional(z.nullable(usdText)),
  rate: z.optional(z.nullable(usdText)),
  feeAmount: z.optional(z.nullable(atomicText)),
  splits: z.optional(z.nullable(z.array(paidSplit))),
  netAmount: z.optional(z.nullable(atomicText)),
  returnedAmount: z.optional(z.nullable(atomicText)),
  refundedAmount: z.optional(z.nullable(atomicText)),
  /** Sum of this payment and the parts before it; null where it is alone and pays the asked amount. */
  paidTotal: z.optional(z.nullable(atomicText)),
  /** What the merchant’s policy gives back of it; null for nothing. */
  refundDueAmount: z.optional(z.nullable(atomicText)),
  failureCode: z.optional(z.nullable(z.string())),
  failureMessage: z.optional(z.nullable(z.string())),
  explorerUrl: z.optional(z.nullable(z.string())),
};

export const payment = z.object({
  id: z.string(),
  accountId: z.string(),
  paymentIntentId: z.string(),
  transactionId: z.nullable(z.string()),
  transactionSplitId: z.nullable(z.string()),
  canisterTxId: z.nullable(z.string()),
  status: paymentStatus,
  amount: atomicText,
  ledgerCanisterId: z.string(),
  ledgerTxId: z.nullable(z.string()),
  accountCanisterId: z.nullable(z.number()),
  basePaymentAccountId: z.nullable(z.string()),
  invoiceId: z.nullable(z.string()),
  metadata: jsonObject,
  requestedAmount: z.nullable(atomicText),
  paidAmount: z.nullable(atomicText),
  createdAt: isoTime,
  completedAt: z.optional(isoTime),
  network: z.nullable(z.enum(['ic', 'evm', 'sol'])),
  token: z.nullable(z.string()),
  ...additions,
  intent: z.optional(intentOfPayment),
});
export type Payment = z.infer<typeof payment>;
