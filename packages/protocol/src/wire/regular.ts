// The regular flow: the payer sends transactions with gas of his own, and the chain reader finds them. POST
// /sdk/public/payments/intents answers the ways to do that, and so does a fallback recommendation for its intent.
import * as z from 'zod/mini';
import { paymentIntent } from './payment-intent.ts';
import { atomicText, bytes32, evmAddress, isoTime, jsonObject, unixSecondsText, wholeNumber } from './primitives.ts';

const hexData = z.string().check(z.regex(/^0x(?:[0-9a-fA-F]{2})*$/));

const option = {
  network: z.string(),
  /** Address of the token's contract, its mint, or the canister id of its ledger. */
  token: z.string(),
  tokenShortcode: z.string(),
  decimals: wholeNumber,
  /** What the payer sends: the rest, where parts of the intent arrived. */
  amount: atomicText,
  /** The whole that the intent asks for, and the sum of the parts that arrived and count. Only where there are parts. */
  requestedAmount: z.optional(atomicText),
  paidAmount: z.optional(atomicText),
  /** Money whose block is at or after this time does not pay the intent. */
  expiresAt: isoTime,
};

const evmOption = {
  ...option,
  chainId: wholeNumber,
  rpcUrlPublic: z.optional(z.string()),
  payTo: evmAddress,
};

/** Two transactions: the token's `approve` of the exact amount, then the processor's `pay`. */
export const evmProcessorOption = z.object({
  kind: z.literal('evm_processor'),
  ...evmOption,
  /** Not needed where the allowance is high enough. `link` is its EIP-681 link. */
  approve: z.object({ to: evmAddress, data: hexData, amount: atomicText, link: z.string() }),
  pay: z.object({ to: evmAddress, data: hexData }),
  /** EIP-681 link of `pay`. */
  link: z.string(),
});
export type EvmProcessorOption = z.infer<typeof evmProcessorOption>;

/**
 * The payer signs the typed data, with his address added to the message as `from`, and sends the token's
 * `transferWithAuthorization` himself. A plain transfer to the wallet names no intent and pays none, so there is no link.
 */
export const evmAuthorizationOption = z.object({
  kind: z.literal('evm_authorization'),
  ...evmOption,
  typedData: z.object({
    primaryType: z.literal('TransferWithAuthorization'),
    domain: z.object({ name: z.string(), version: z.string(), chainId: wholeNumber, verifyingContract: evmAddress }),
    types: jsonObject,
    message: z.object({
      to: evmAddress,
      value: atomicText,
      validAfter: unixSecondsText,
      validBefore: unixSecondsText,
      nonce: bytes32,
    }),
  }),
  /** Terms behind the nonce; a client recomputes it from them before it signs. */
  terms: jsonObject,
});
export type EvmAuthorizationOption = z.infer<typeof evmAuthorizationOption>;

/** A Solana Pay transaction request: the wallet fetches the transaction from the URL. */
export const solanaPayOption = z.object({
  kind: z.literal('solana_pay'),
  ...option,
  link: z.string(),
  transactionRequestUrl: z.string(),
});
export type SolanaPayOption = z.infer<typeof solanaPayOption>;

/**
 * One ICRC-1 transfer on the Internet Computer, which a wallet sends with exactly these arguments. A ledger answers a repeat
 * of it with `Duplicate` and the first transfer’s block, and that transfer pays the intent.
 */
export const icrc1TransferOption = z.object({
  kind: z.literal('icrc1_transfer'),
  ...option,
  /** Canister id of the token’s ledger; `token` is the same. */
  ledgerCanisterId: z.string(),
  to: z.object({
    /** Text of a principal. */
    owner: z.string(),
    /** 32 bytes; null for the default subaccount. */
    subaccount: z.nullable(bytes32),
    /** Both in the textual form of ICRC-1. */
    text: z.string(),
  }),
  /** By which the payment is found: without it the transfer pays no intent. */
  memo: hexData,
  /** `created_at_time`, in nanoseconds. */
  createdAtTime: z.string().check(z.regex(/^[1-9]\d{0,19}$/)),
  /** Beside the amount, from the payer. If the ledger answers `BadFee`, its `expected_fee` is to be used. */
  fee: atomicText,
});
export type Icrc1TransferOption = z.infer<typeof icrc1TransferOption>;

export const regularOption = z.union([
  evmProcessorOption,
  evmAuthorizationOption,
  solanaPayOption,
  icrc1TransferOption,
]);
export type RegularOption = z.infer<typeof regularOption>;

/** `regular` is empty once nothing is to be paid any more, and where no token of the intent can be paid this way. */
export const regularOffer = z.object({
  paymentIntentId: z.string(),
  paymentIntent,
  regular: z.array(regularOption),
  clientSecret: z.optional(z.string()),
});
export type RegularOffer = z.infer<typeof regularOffer>;

/** The link that a wallet app opens. An address with a query is encoded as a whole. */
export const solanaPayLink = (transactionRequestUrl: string): string =>
  `solana:${encodeURIComponent(transactionRequestUrl)}`;

/** What a wallet shows before it asks for the transaction. */
export const transactionRequestLabel = z.object({ label: z.string(), icon: z.string() });
export type TransactionRequestLabel = z.infer<typeof transactionRequestLabel>;

/** A wallet names the account that signs and pays. */
export const transactionRequest = z.object({
  account: z.string().check(z.regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/)),
});

export const requestedTransaction = z.object({
  /** Base64, with an empty signature of the account. */
  transaction: z.string(),
  message: z.string(),
});
export type RequestedTransactionBody = z.infer<typeof requestedTransaction>;

/** A wallet shows `message`. */
export const walletRequestRefusal = z.object({ error: z.string(), message: z.string() });
export type WalletRequestRefusal = z.infer<typeof walletRequestRefusal>;
