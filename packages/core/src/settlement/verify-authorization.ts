// Verifies the authorization of a header, exact or up-to: the terms first, without the chain, then the family of its
// network asks the chain. Writes nothing.
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type { Intent } from '../intent/intent.ts';
import { familyFor } from '../intent/offer-family.ts';
import type { StoredAcceptance } from '../intent/stored-acceptance.ts';
import { claimKey } from '../payment/claim-key.ts';
import type { VerifiedPayment } from '../payment/claim-payment.ts';
import type { RefusedAuthorization } from '../payment/refused-authorization.ts';
import { type TermsVerdict, type VerifiedTerms, verifyTerms } from '../payment/verify-terms.ts';
import type { AuthorizationVerdict, HeaderContext } from './payment-family.ts';
import type { AuthorizationSubmission } from './read-submission.ts';
import type { SettlePorts } from './settle-ports.ts';

export type Verification =
  | { readonly ok: true; readonly verified: VerifiedPayment }
  | {
      readonly ok: false;
      /** `chain_unavailable`: nothing is known, so nothing is refused. */
      readonly code: ErrorCode;
      readonly detail?: string | undefined;
      /**
       * Set where another call may have claimed the payment during the chain read, so that the refusal may be caused by
       * it. `here`: this intent has the claim. `perhaps`: only the stored rows tell.
       */
      readonly claimed?: 'here' | 'perhaps';
      /** Set where `claimed` is `here`. */
      readonly claimKey?: Uint8Array;
      /** Set where the refused header is a valid direct authorization, which anybody may still submit to the token. */
      readonly refused?: MovablePayment;
      /** Set where the chain did not answer about a direct header: a stranger may have submitted it to the token. */
      readonly moneyMoved?: 'unknown';
    };

/** What a refusal leaves to store. */
export type MovablePayment = Omit<RefusedAuthorization, 'caller' | 'intentId' | 'code' | 'nowMs'>;

/** Refusals that another claim of the same authorization may have caused in the meantime. */
const MAY_BE_CLAIMED: ReadonlySet<string> = new Set([
  'authorization_already_used',
  'permit_nonce_mismatch',
  'insufficient_funds',
  'approval_missing',
]);

export type VerifyPorts = Pick<
  SettlePorts,
  'clock' | 'families' | 'networks' | 'findHourlyCaps' | 'loadAcceptances' | 'findClaim'
>;

export async function verifyAuthorization(
  ports: VerifyPorts,
  { caller, intentId }: HeaderContext,
  { decoded, echo }: AuthorizationSubmission,
  intent: Intent,
): Promise<Verification> {
  const [acceptances, hourlyCaps] = await Promise.all([
    ports.loadAcceptances(caller, intentId),
    ports.findHourlyCaps(),
  ]);
  const terms = verifyTerms({
    intent,
    acceptances,
    decoded,
    echo,
    networks: ports.networks,
    hourlyCaps,
    nowMs: ports.clock.nowMs(),
    purpose: intent.upto ? 'upto_confirm' : 'exact',
  });
  const context = { caller, intentId };
  if (!terms.ok) {
    const { refused, ...refusal } = terms;
    return refused === undefined ? refusal : verifyRefused(ports, context, refusal, refused);
  }
  const { acceptance } = terms;
  const { verdict, key } = await askFamily(ports, context, terms);
  if (verdict.ok) return { ok: true, verified: { ...verdict.signed, claimKey: key, acceptance } };
  const { code } = verdict;
  if (code === 'chain_unavailable') return verifyUnanswered(ports, context, key, acceptance);
  const holder = MAY_BE_CLAIMED.has(code) ? await ports.findClaim(caller, intentId, key) : undefined;
  if (holder === 'elsewhere') return { ok: false, code: 'authorization_bound_elsewhere' };
  if (holder === 'here') return { ok: false, code, claimed: holder, claimKey: key };
  const refused = movablePayment(verdict, key, acceptance);
  return { ok: false, code, ...(refused && { refused }) };
}

/**
 * A direct header that may not pay its intent now. If it is validly signed anybody may submit it, so the chain is asked all
 * the same. A claim of it is watched already, or the chain reader made it for money that somebody else submitted. A claim
 * of another intent is not told of.
 */
async function verifyRefused(
  ports: VerifyPorts,
  context: HeaderContext,
  { code, detail }: Omit<Extract<TermsVerdict, { ok: false }>, 'refused'>,
  terms: VerifiedTerms,
): Promise<Verification> {
  const { verdict, key } = await askFamily(ports, context, terms);
  if (!verdict.ok && verdict.code === 'chain_unavailable')
    return verifyUnanswered(ports, context, key, terms.acceptance);
  if (!verdict.ok && !MAY_BE_CLAIMED.has(verdict.code)) return { ok: false, code, detail };
  const holder = await ports.findClaim(context.caller, context.intentId, key);
  if (holder === 'here') return { ok: false, code, detail, claimed: holder, claimKey: key };
  const refused = holder === undefined ? movablePayment(verdict, key, terms.acceptance) : undefined;
  return { ok: false, code, detail, ...(refused && { refused }) };
}

/** The chain did not answer. The chain reader may have completed a direct payment that a stranger made, without its header. */
async function verifyUnanswered(
  ports: Pick<VerifyPorts, 'findClaim'>,
  { caller, intentId }: HeaderContext,
  key: Uint8Array,
  { direct }: StoredAcceptance,
): Promise<Verification> {
  const code = 'chain_unavailable';
  if (direct === undefined) return { ok: false, code };
  const holder = await ports.findClaim(caller, intentId, key);
  return holder === 'here'
    ? { ok: false, code, claimed: holder, claimKey: key }
    : { ok: false, code, moneyMoved: 'unknown' };
}

async function askFamily(
  ports: VerifyPorts,
  context: HeaderContext,
  terms: VerifiedTerms,
): Promise<{ readonly verdict: AuthorizationVerdict; readonly key: Uint8Array }> {
  const { network, token } = terms.acceptance;
  const { from: payer } = terms.header.payload.authorization;
  const family = familyFor(ports.families, network);
  if (family === undefined) return { verdict: { ok: false, code: 'chain_unavailable' }, key: new Uint8Array() };
  const key = claimKey({ network, asset: token.address, payer, uniquePart: family.uniquePartOf(terms) });
  return { verdict: await family.verifyAuthorization(terms, context), key };
}

/** The payment, if it is direct, validly signed and not used: it can still move money. */
function movablePayment(
  verdict: AuthorizationVerdict,
  key: Uint8Array,
  acceptance: StoredAcceptance,
): MovablePayment | undefined {
  const { signed } = verdict;
  if (signed === undefined) return undefined;
  return refusedPayment({ ...signed, claimKey: key, acceptance }, verdict.ok);
}

/** Undefined for a payment that no stranger can make: through a processor, or used already. */
export function refusedPayment(payment: VerifiedPayment, funded: boolean): MovablePayment | undefined {
  const { claimKey: key, acceptance, authorization, direct } = payment;
  if (direct === undefined || direct.used) return undefined;
  return { claimKey: key, acceptance, authorization, direct, funded };
}
