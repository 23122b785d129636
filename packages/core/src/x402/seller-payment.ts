// A payment that a seller sends to us: which authorization it is, without asking anybody. What the payer signed decides;
// the seller's requirements must say the same.
import { encodePaymentHeader } from '@svc-pay/protocol';
import { readBoundNonce } from '@svc-pay/protocol/bound-nonce';
import { readDirectNonce } from '@svc-pay/protocol/direct-nonce';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type { X402Payment, X402Terms } from '@svc-pay/protocol/x402';
import type { Mode } from '../account/mode.ts';
import { claimKey } from '../payment/claim-key.ts';
import type { ForeignMemo, PaymentFamily } from '../settlement/payment-family.ts';
import { type EncodedPayment, readSubmission, type Submission } from '../settlement/read-submission.ts';
import { normalizeAddress, sameAddress } from '../token/address.ts';
import { findChain } from '../token/chain.ts';
import { findTokenOf } from '../token/find-token.ts';
import type { TokenEntry } from '../token/token-entry.ts';
import { type LeasedTerms, leasedTermsOf } from './lease.ts';
import type { LeasedAuthorization } from './lease-store.ts';

/** `message`: a sentence for the seller's engineer that names the field; absent where the code says all. */
export type SellerRefusal = {
  readonly ok: false;
  readonly code: ErrorCode;
  readonly message?: string | undefined;
  /** A stranger may have submitted the payment, and the chain did not answer. */
  readonly moneyMoved?: 'unknown';
  /** The payer is known to have signed the payment: anybody may name another one as the payer. */
  readonly signed?: boolean;
};

export type SellerPayment = {
  readonly payment: X402Payment;
  readonly terms: X402Terms;
  readonly token: TokenEntry;
  readonly authorization: LeasedAuthorization;
  readonly leased: LeasedTerms;
  readonly encoded: EncodedPayment;
  readonly submission: Submission;
};

export type ReadSellerPayment = ({ readonly ok: true } & SellerPayment) | SellerRefusal;

/** A transaction names no time; its blockhash is forgotten well before. */
const TRANSACTION_LIFE_SECONDS = 180;

export function readSellerPayment(
  families: readonly PaymentFamily[],
  mode: Mode,
  payment: X402Payment,
  terms: X402Terms,
  nowMs: number,
): ReadSellerPayment {
  const contradiction = contradictionOf(payment, terms);
  if (contradiction !== undefined) return contradiction;
  const token = findTokenOf(terms.network, terms.asset);
  if (token === undefined || findChain(terms.network)?.mode !== mode)
    return refusal('token_unknown', `paymentRequirements.asset names no token that is known in ${mode} mode.`);
  if (token.signing === 'Permit')
    return refusal('asset_mismatch', 'paymentRequirements.asset is paid by Permit, which no x402 client signs.');
  const wrongDomain = domainRefusal(token, terms);
  if (wrongDomain !== undefined) return wrongDomain;
  const encoded = encodedOf(payment, terms);
  const submission = readSubmission(families, encoded);
  const signed = signedOf(submission, terms, nowMs);
  if (signed === undefined)
    return refusal('invalid_payment_header', 'paymentPayload.payload is not what this network pays by.');
  const { payer, uniquePart, leased } = signed;
  // It commits to an intent of ours. A verify has none yet: what it would find bound, no settle could take.
  if (submission.form === 'authorization' && (readDirectNonce(uniquePart) ?? readBoundNonce(uniquePart)) !== undefined)
    return refusal('acceptance_mismatch', 'paymentPayload.payload.authorization.nonce is made for another intent.');
  const { network } = terms;
  const key = claimKey({ network, asset: token.address, payer, uniquePart });
  const authorization = { claimKey: key, network, asset: token.address, payer: normalizeAddress(payer) };
  return { ok: true, payment, terms, token, authorization, leased, encoded, submission };
}

function contradictionOf(payment: X402Payment, terms: X402Terms): SellerRefusal | undefined {
  if (terms.scheme !== 'exact' || payment.scheme !== 'exact')
    return refusal('scheme_mismatch', 'Only the scheme exact is settled here.');
  if (payment.network !== terms.network)
    return refusal('network_mismatch', 'paymentPayload and paymentRequirements name different networks.');
  const { accepted } = payment;
  if (accepted === undefined) return undefined;
  const same = {
    amount: accepted.amount === terms.amount,
    asset: sameAddress(accepted.asset, terms.asset),
    payTo: sameAddress(accepted.payTo, terms.payTo),
  };
  const field = Object.entries(same).find(([, isSame]) => !isSame)?.[0];
  if (field === undefined) return undefined;
  return refusal('acceptance_mismatch', `paymentPayload.accepted.${field} differs from paymentRequirements.${field}.`);
}

/** The payer signs for the domain that the seller names: another one than the token's makes every signature invalid. */
function domainRefusal({ domain }: TokenEntry, { extra }: X402Terms): SellerRefusal | undefined {
  if (domain === undefined) return undefined;
  const field = (['name', 'version'] as const).find(
    (name) => Object.hasOwn(extra, name) && extra[name] !== domain[name],
  );
  if (field === undefined) return undefined;
  return refusal(
    'acceptance_mismatch',
    `paymentRequirements.extra.${field} must be "${domain[field]}" for this token.`,
  );
}

function encodedOf({ payload, network, scheme }: X402Payment, { extra }: X402Terms): EncodedPayment {
  if ('transaction' in payload) return { transaction: payload.transaction, memo: memoOf(extra) };
  return { encodedHeader: encodePaymentHeader({ x402Version: 1, scheme, network, payload }), echo: null };
}

const memoOf = ({ memo }: X402Terms['extra']): ForeignMemo => ({ required: typeof memo === 'string' ? memo : null });

type Signed = { readonly payer: string; readonly uniquePart: string; readonly leased: LeasedTerms };

function signedOf({ form, payment }: Submission, terms: X402Terms, nowMs: number): Signed | undefined {
  if (payment === null) return undefined;
  if (form === 'authorization' && 'from' in payment) {
    return { payer: payment.from, uniquePart: payment.nonce, leased: leasedTermsOf(payment) };
  }
  if (!('messageHash' in payment)) return undefined;
  const validBeforeSeconds = BigInt(Math.floor(nowMs / 1_000) + TRANSACTION_LIFE_SECONDS);
  const leased = { recipient: terms.payTo, amount: BigInt(terms.amount), validBeforeSeconds };
  return { payer: payment.payer, uniquePart: payment.messageHash, leased };
}

export const refusal = (code: ErrorCode, message?: string): SellerRefusal => ({ ok: false, code, message });
