// Reads what a client submits to be settled, without any chain: an authorization in a header, or a signed transaction in
// a header or by itself.
import { type AcceptanceEcho, parseNetwork } from '@svc-pay/protocol';
import { type DecodedHeader, decodePaymentHeader, type X402Terms } from '@svc-pay/protocol/x402';
import { hasAuthorization } from '../payment/verify-terms.ts';
import { normalizeAddress } from '../token/address.ts';
import {
  type ForeignMemo,
  type PaymentFamily,
  type SubmittedTransfer,
  type TransactionFamily,
  takesTransactions,
} from './payment-family.ts';
import type { SubmittedAuthorization, SubmittedPayment } from './settle-ports.ts';

/** A payment in the encoding of the wire: a header with the acceptance that the client means, or a transaction. */
export type EncodedPayment =
  | { readonly encodedHeader: string; readonly echo: AcceptanceEcho | null | undefined }
  /** Base64 of the transaction with the payer's signature. `memo` is set where it was signed before the intent existed. */
  | { readonly transaction: string; readonly memo?: ForeignMemo };

export type Submission = AuthorizationSubmission | TransactionSubmission;

export type AuthorizationSubmission = {
  readonly form: 'authorization';
  readonly decoded: DecodedHeader;
  readonly echo: AcceptanceEcho | null | undefined;
  /** Null when the header can't be read, or has no authorization. */
  readonly payment: SubmittedAuthorization | null;
};

export type TransactionSubmission = {
  readonly form: 'transaction';
  readonly transaction: string;
  /** Scheme and network of its header; null when it was submitted without one. */
  readonly header: { readonly scheme: string; readonly network: string } | null;
  readonly echo: AcceptanceEcho | null | undefined;
  /** The requirements that a version 2 client repeats. */
  readonly accepted?: X402Terms;
  /** The family that could read the transaction; null, as `payment`, when none could. */
  readonly family: TransactionFamily | null;
  readonly payment: SubmittedTransfer | null;
  /** Absent: the memo must name the intent. */
  readonly memo?: ForeignMemo;
};

export function readSubmission(families: readonly PaymentFamily[], encoded: EncodedPayment): Submission {
  if (!('encodedHeader' in encoded)) {
    const { transaction, memo } = encoded;
    const read = readTransaction(families, transaction);
    return { form: 'transaction', transaction, header: null, echo: null, ...read, ...(memo && { memo }) };
  }
  const { encodedHeader, echo } = encoded;
  const read = readAuthorization(encodedHeader, echo);
  if (!read.decoded.ok || !('transaction' in read.decoded.header.payload)) return read;
  const { accepted } = read.decoded;
  const { scheme, network, payload } = read.decoded.header;
  const { transaction } = payload;
  const header = { scheme, network };
  const named = { header, echo, ...(accepted && { accepted }) };
  return { form: 'transaction', transaction, ...named, ...readTransaction(families, transaction) };
}

export function readAuthorization(
  encodedHeader: string,
  echo: AcceptanceEcho | null | undefined,
): AuthorizationSubmission {
  const decoded = decodePaymentHeader(encodedHeader);
  return { form: 'authorization', decoded, echo, payment: authorizationIn(decoded) };
}

function authorizationIn(decoded: DecodedHeader): SubmittedAuthorization | null {
  if (!decoded.ok || !hasAuthorization(decoded.header)) return null;
  const { network: name, payload } = decoded.header;
  const network = parseNetwork(name);
  return network === undefined ? null : { ...payload.authorization, network };
}

function readTransaction(
  families: readonly PaymentFamily[],
  transaction: string,
): Pick<TransactionSubmission, 'family' | 'payment'> {
  for (const family of families.filter(takesTransactions)) {
    const payment = family.transactions.read(transaction);
    if (payment !== undefined) return { family, payment };
  }
  return { family: null, payment: null };
}

/** The payer that a submission names. Nobody has proved yet that they signed it. */
export function payerOf(payment: SubmittedPayment | null): string | null {
  if (payment === null) return null;
  return 'payer' in payment ? payment.payer : normalizeAddress(payment.from);
}
