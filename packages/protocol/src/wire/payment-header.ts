// The object inside a payment header. On EVM it has an authorization and its signature; on Solana it may have the
// signed transaction instead.
import * as z from 'zod/mini';
import { scheme } from './acceptance.ts';
import { atomicText, bytes32, evmAddress, unixSecondsText } from './primitives.ts';

export const HEADER_X402_VERSION = 1;
const ACCEPTED_VERSIONS = [1, 2] as const;

/** 64 bytes (compact) up to 2 kB for contract wallets. The exact length is checked later, by the kind of payer. */
const evmSignature = z.string().check(z.regex(/^0x(?:[0-9a-fA-F]{2}){64,2048}$/));

export const authorization = z.object({
  from: evmAddress,
  to: evmAddress,
  value: atomicText,
  validAfter: unixSecondsText,
  validBefore: unixSecondsText,
  nonce: bytes32,
});
export type Authorization = z.infer<typeof authorization>;

export const evmPayload = z.object({ authorization, signature: evmSignature });

const solanaAddress = z.string().check(z.regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/));

export const solanaTransactionPayload = z.object({
  transaction: z.string().check(z.regex(/^[0-9A-Za-z+/=_-]{1,1644}$/)),
});

export const solanaMessagePayload = z.object({
  authorization: z.object({
    ...authorization.shape,
    from: solanaAddress,
    to: solanaAddress,
  }),
  signature: z.string().check(z.regex(/^(?:0x[0-9a-fA-F]{128}|[0-9A-Za-z+/=_-]{64,90})$/)),
});

const headerFields = {
  x402Version: z.literal(ACCEPTED_VERSIONS),
  scheme,
  network: z.string().check(z.regex(/^[\w:]{1,64}$/)),
};

export const evmPaymentHeader = z.object({ ...headerFields, payload: evmPayload });
export type EvmPaymentHeader = z.infer<typeof evmPaymentHeader>;

const solanaTransactionHeader = z.object({ ...headerFields, payload: solanaTransactionPayload });

const solanaMessageHeader = z.object({ ...headerFields, payload: solanaMessagePayload });

export const paymentHeader = z.union([evmPaymentHeader, solanaTransactionHeader, solanaMessageHeader]);
export type PaymentHeader = z.infer<typeof paymentHeader>;
export type PaymentPayload = PaymentHeader['payload'];
