// Verifies the authorization of a header, exact or up-to: the terms first, without the chain, then the family of its
// network asks the chain. Writes nothing.
import type { ErrorCode } from '@svc-pay/protocol/errors';
import type { Intent } from '../intent/intent.ts';
import { familyFor } from '../intent/offer-family.ts';
import { claimKey } from '../payment/claim-key.ts';
import type { VerifiedPayment } from '../payment/claim-payment.ts';
import { verifyTerms } from '../payment/verify-terms.ts';
import type { HeaderContext } from './payment-family.ts';
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
    };

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
  if (!terms.ok) return terms;
  const { acceptance, header } = terms;
  const { network, token } = acceptance;
  const family = familyFor(ports.families, network);
  if (family === undefined) return { ok: false, code: 'chain_unavailable' };
  const { from: payer } = header.payload.authorization;
  const key = claimKey({ network, asset: token.address, payer, uniquePart: family.uniquePartOf(terms) });
  const verdict = await family.verifyAuthorization(terms, { caller, intentId });
  if (verdict.ok) return { ok: true, verified: { ...verdict.signed, claimKey: key, acceptance } };
  const { code } = verdict;
  const holder = MAY_BE_CLAIMED.has(code) ? await ports.findClaim(caller, intentId, key) : undefined;
  if (holder === 'elsewhere') return { ok: false, code: 'authorization_bound_elsewhere' };
  return { ok: false, code, ...(holder === 'here' && { claimed: holder }) };
}
