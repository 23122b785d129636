// A payment in answers and webhooks.
import * as z from 'zod/mini';
import { atomicText, isoTime, jsonObject, wholeNumber } from './primitives.ts';
import { paymentStatus } from './statuses.ts';

const intentOfPayment = z.looseObject({
  intentCode: wholeNumber,
  amount: atomicText,
  metadata: jsonObject,
});

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
  intent: z.optional(intentOfPayment),
});
export type Payment = z.infer<typeof payment>;
