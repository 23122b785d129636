// Verifies a payment for a seller and leases its authorization to this call. Writes nothing else: no intent is made for a
// payment that is never settled.
import type { ErrorCode } from '@svc-pay/protocol/errors';
import { newId } from '@svc-pay/protocol/ids';
import type { X402Payment, X402Terms } from '@svc-pay/protocol/x402';
import type { Caller } from '../account/authenticate.ts';
import { draftIntent } from '../intent/create-intent.ts';
import type { Intent } from '../intent/intent.ts';
import type { VerifiedPayment } from '../payment/claim-payment.ts';
import { unsettledLimitOf } from '../quota/unsettled-limits.ts';
import { isWithinBudget } from '../settlement/check-budget.ts';
import { isDenied } from '../settlement/is-denied.ts';
import { verifyAuthorization } from '../settlement/verify-authorization.ts';
import { verifyTransaction } from '../settlement/verify-transaction.ts';
import type { FacilitatorPorts } from './facilitator-ports.ts';
import { isAuthorizationSpent, type LeaseRefusal } from './judge-verify-lease.ts';
import { MAX_TIMEOUT_SECONDS, offerForSeller, type SellerOffer } from './offer-for-seller.ts';
import { readSellerPayment, refusal, type SellerPayment, type SellerRefusal } from './seller-payment.ts';

export type SellerCall = {
  readonly caller: Caller;
  readonly payment: X402Payment;
  readonly terms: X402Terms;
};

/** The call that has the lease, for the mark of its answer. */
export type LeasedCall = { readonly claimKey: Uint8Array; readonly call: number };

export type SellerVerify =
  | { readonly ok: true; readonly payer: string; readonly lease: LeasedCall }
  | (SellerRefusal & { readonly payer?: string | undefined; readonly leaseRefusal?: LeaseRefusal });

export async function verifyForSeller(ports: FacilitatorPorts, call: SellerCall): Promise<SellerVerify> {
  const { caller } = call;
  const nowMs = ports.clock.nowMs();
  const read = readSellerPayment(ports.families, caller.mode, call.payment, call.terms, nowMs);
  if (!read.ok) return read;
  const { authorization, leased } = read;
  const { payer, claimKey } = authorization;
  const verified = await verifyNow(ports, caller, read, nowMs);
  if (!verified.ok) {
    // What was settled is refused by the chain too, or has expired: the seller must learn that it was paid.
    const facts = await ports.loadLease(authorization);
    const spent = isAuthorizationSpent(facts, facts.readAtMs);
    return spent ? { ...LEASE_REFUSALS.spent, payer, leaseRefusal: 'spent' } : { ...verified, payer };
  }
  if (endsBeforeSettle(read, nowMs)) return { ...TOO_SHORT, payer, signed: true };
  const { balance, acceptance } = verified.verified;
  const { accountId, mode } = caller;
  const { unsettledPerPayer: perPayer } = ports;
  const verdict = await ports.leaseAuthorization({
    accountId,
    mode,
    ...authorization,
    ...leased,
    balance,
    unsettledLimit: perPayer && unsettledLimitOf(perPayer, acceptance.rate),
  });
  if (verdict.granted) return { ok: true, payer, lease: { claimKey, call: verdict.call } };
  const { code, message } = LEASE_REFUSALS[verdict.refusal];
  return { ...refusal(code, message), payer, signed: true, leaseRefusal: verdict.refusal };
}

/** Stock clients sign `maxTimeoutSeconds`; our agent signs ten minutes at most. */
const LONGEST_USUAL_SECONDS = 600;
const TOO_SHORT = refusal(
  'authorization_expired',
  'The signature must be valid for another half of paymentRequirements.maxTimeoutSeconds, 300 seconds at most.',
);

/**
 * A seller's handler runs between verify and settle. A signature that ends meanwhile is refused by settle: the handler has
 * worked for nothing, and it cost the payer nothing.
 */
function endsBeforeSettle({ submission, terms, leased }: SellerPayment, nowMs: number): boolean {
  if (submission.form !== 'authorization') return false;
  const leftSeconds = Number(leased.validBeforeSeconds) - nowMs / 1_000;
  return leftSeconds < Math.min(terms.maxTimeoutSeconds, LONGEST_USUAL_SECONDS) / 2;
}

async function verifyNow(
  ports: FacilitatorPorts,
  caller: Caller,
  read: SellerPayment,
  nowMs: number,
): Promise<VerifiedForSeller> {
  const offered = await offerForSeller(ports, caller, read);
  return offered.ok
    ? verifyOffered(ports, caller, read, offered, draftSellerIntent(caller, read, offered, nowMs))
    : offered;
}

export const LEASE_REFUSALS = {
  spent: refusal('authorization_bound_elsewhere', 'This payment is settled already, or its settlement has begun.'),
  leased: refusal(
    'authorization_bound_elsewhere',
    'Another call has verified this payment: settle it there, or let the payer sign another one.',
  ),
  leased_elsewhere: refusal('authorization_bound_elsewhere', 'Another account has verified this payment.'),
  over_balance: refusal(
    'insufficient_funds',
    'The payer needs its balance for other payments that are verified and not settled yet.',
  ),
  over_limit: refusal(
    'x402_temporarily_unavailable',
    'The payer has too much unsettled; try again when it is settled.',
  ),
  payer_spent: refusal('gas_budget_spent'),
} as const satisfies Record<LeaseRefusal, SellerRefusal>;

export type VerifiedForSeller = { readonly ok: true; readonly verified: VerifiedPayment } | SellerRefusal;

/** Terms, chain and budgets. `intent` is drafted and not stored. */
export async function verifyOffered(
  ports: FacilitatorPorts,
  caller: Caller,
  { submission, terms }: SellerPayment,
  { acceptance }: SellerOffer,
  intent: Intent,
): Promise<VerifiedForSeller> {
  if (isDenied(ports, submission.payment)) return refusal('payer_denied');
  const context = { caller, intentId: intent.id };
  // The acceptance is not stored yet, and no claim can be of an intent that does not exist.
  const drafted = { ...ports, loadAcceptances: async () => [acceptance], findClaim: async () => undefined };
  const verification =
    submission.form === 'authorization'
      ? await verifyAuthorization(drafted, context, submission, intent)
      : await verifyTransaction(drafted, context, submission, intent);
  if (!verification.ok) {
    const { code, moneyMoved, refused } = verification;
    const signed = refused !== undefined;
    return { ...refusal(code, windowMessage(code, terms)), signed, ...(moneyMoved && { moneyMoved }) };
  }
  const { verified } = verification;
  if (await isWithinBudget(ports, caller, verified)) return { ok: true, verified };
  return { ...refusal('gas_budget_spent'), signed: true };
}

/** Stock clients sign the window that the seller asks for. */
function windowMessage(code: ErrorCode, { maxTimeoutSeconds }: X402Terms): string | undefined {
  if (code !== 'authorization_window_too_long' || maxTimeoutSeconds <= MAX_TIMEOUT_SECONDS) return undefined;
  return `paymentRequirements.maxTimeoutSeconds must be ${MAX_TIMEOUT_SECONDS} at most.`;
}

const LEAST_LIFE_MS = 60_000;

/** Without a code: no nonce of a seller's payment commits to it, and only an intent that is stored gets one. */
export function draftSellerIntent(
  caller: Caller,
  { payment, terms, leased }: SellerPayment,
  { offer }: SellerOffer,
  nowMs: number,
): Intent {
  const resource = payment.resource ?? terms.resource;
  const drafted = draftIntent(
    { nowMs, priceEndsAtMs: offer.priceEndsAtMs, tokens: [offer.token.shortcode] },
    { caller },
    {
      asked: { usd: null, atomic: offer.amount },
      selector: {},
      upto: false,
      maxTimeoutSeconds: terms.maxTimeoutSeconds,
      description: keptText(resource?.description, 1_000),
      resource: keptText(resource?.url, 2_048),
      mimeType: keptText(resource?.mimeType, 255),
      expectedSender: null,
      payerPublicKey: null,
      metadata: {},
    },
    offer,
    0,
  );
  const endsAtMs = Number(leased.validBeforeSeconds) * 1_000;
  return {
    ...drafted,
    id: newId('paymentIntent', nowMs),
    // Nobody else pays it. A signature that is about to end is refused by its window, not by the intent.
    expiresAtMs: Math.max(nowMs + LEAST_LIFE_MS, Math.min(drafted.expiresAtMs, endsAtMs)),
    createdWith: 'x402',
    serviceMetadata: { svc_x402_version: payment.version },
  };
}

/** A text that does not fit is left out: the seller may write what it likes, and the payment does not depend on it. */
function keptText(text: string | null | undefined, most: number): string | null {
  if (text === undefined || text === null || text === '') return null;
  return text.length <= most && !text.includes('\0') && text.isWellFormed() ? text : null;
}
