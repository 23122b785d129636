// Refunds as their merchant asks for them, signs them and reads them.
import * as z from 'zod/mini';
import { refundNonceTerms } from '../eip712/refund-nonce.ts';
import { atomicText, bytes32, evmAddress, isoTime, unixSecondsText, wholeNumber } from '../wire/primitives.ts';

export const REFUND_STATUSES = ['prepared', 'queued', 'sent', 'completed', 'failed', 'canceled'] as const;
export type RefundStatus = (typeof REFUND_STATUSES)[number];

export const MAX_REFUND_REASON = 200;

export const refund = z.object({
  id: z.string(),
  object: z.literal('refund'),
  paymentId: z.string(),
  paymentIntentId: z.string(),
  status: z.enum(REFUND_STATUSES),
  /** Null while it is unknown: of a transfer that is read from the chain. */
  amount: z.nullable(atomicText),
  token: z.string(),
  tokenShortcode: z.string(),
  network: z.enum(['ic', 'evm', 'sol']),
  chain: z.string(),
  /** Null while it is unknown. */
  from: z.nullable(z.string()),
  to: z.nullable(z.string()),
  transactionId: z.nullable(z.string()),
  explorerUrl: z.nullable(z.string()),
  failureCode: z.nullable(z.string()),
  failureMessage: z.nullable(z.string()),
  reason: z.nullable(z.string()),
  createdAt: isoTime,
  /** A prepared refund must be signed before, a signed one can't move money after. Null for a reported transfer. */
  expiresAt: z.nullable(isoTime),
  completedAt: z.nullable(isoTime),
});
export type Refund = z.infer<typeof refund>;

/** An address, or an account with its subaccount in the textual form of ICRC-1. */
const walletText = z.string().check(z.minLength(1), z.maxLength(150));

/** With `transactionId` the request reports a transfer that the merchant made, and names nothing else but a reason. */
export const createRefundRequest = z.object({
  /** Default: all that is left of the payment. */
  amount: z.nullish(atomicText),
  refundTo: z.nullish(walletText),
  from: z.nullish(walletText),
  reason: z.nullish(z.string().check(z.maxLength(MAX_REFUND_REASON))),
  transactionId: z.nullish(
    z.string().check(z.regex(/^(?:0x[0-9a-fA-F]{64}|[1-9A-HJ-NP-Za-km-z]{64,88}|[a-z2-7-]{5,63}:\d{1,19})$/)),
  ),
  logIndex: z.nullish(wholeNumber),
});
export type CreateRefundRequest = z.infer<typeof createRefundRequest>;

const typeField = z.object({ name: z.string(), type: z.string() });

/** For `eth_signTypedData_v4`: EIP-3009 `TransferWithAuthorization` of the token. */
export const refundTypedData = z.object({
  types: z.catchall(z.object({}), z.array(typeField)),
  primaryType: z.literal('TransferWithAuthorization'),
  domain: z.object({
    name: z.string(),
    version: z.string(),
    chainId: wholeNumber,
    verifyingContract: evmAddress,
  }),
  message: z.object({
    from: evmAddress,
    to: evmAddress,
    value: atomicText,
    validAfter: unixSecondsText,
    validBefore: unixSecondsText,
    nonce: bytes32,
  }),
});
export type RefundTypedData = z.infer<typeof refundTypedData>;

const evmRefundSign = z.object({
  kind: z.literal('evm_typed_data'),
  typedData: refundTypedData,
  /** What the nonce commits to, so that a client can recompute it. */
  terms: refundNonceTerms,
});
const solanaRefundSign = z.object({
  kind: z.literal('solana_transaction'),
  /** Base64, without signatures; the service pays its fee. */
  transaction: z.string(),
  /** What the transaction's reference commits to. */
  terms: refundNonceTerms,
});
export const refundSign = z.union([evmRefundSign, solanaRefundSign]);
export type RefundSign = z.infer<typeof refundSign>;

/** `sign` is null for a reported transfer. */
export const createdRefund = z.object({ refund, sign: z.nullable(refundSign) });
export type CreatedRefund = z.infer<typeof createdRefund>;

/** Exactly one of the two, as `sign` asked. */
export const submitRefundRequest = z.object({
  signature: z.nullish(z.string().check(z.regex(/^0x(?:[0-9a-fA-F]{2}){64,2048}$/))),
  transaction: z.nullish(z.string().check(z.regex(/^[0-9A-Za-z+/=_-]{1,1644}$/))),
});
export type SubmitRefundRequest = z.infer<typeof submitRefundRequest>;

export const refundResponse = z.object({ refund });
export const refundList = z.object({ data: z.array(refund), hasMore: z.boolean() });
export type RefundList = z.infer<typeof refundList>;
