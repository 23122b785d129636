// Settles an exact payment by its signed header. A new header is checked without the chain first, then by the chain.
import { type AcceptanceEcho, type DecodedHeader, decodePaymentHeader, parseNetwork } from '@svc-pay/protocol';
import type { ErrorCode } from '@svc-pay/protocol/errors';
import { claimKey } from '../payment/claim-key.ts';
import { hasAuthorization, type VerifiedTerms, verifyTerms } from '../payment/verify-terms.ts';
import { settleAnswer } from './settle-answer.ts';
import {
  answer,
  claimSubmitted,
  isTaken,
  outcomeOf,
  refuseSubmitted,
  reload,
  type SettleCommand,
  type SettleResult,
  settleSubmitted,
} from './settle-flow.ts';
import type { SettlePorts, SubmittedAuthorization } from './settle-ports.ts';
import { settleTransfer, transferIn } from './settle-transfer.ts';
import type { SettlementRead } from './settlement-read.ts';
import type { TransferPorts } from './transfer-ports.ts';

export type SettleCall = SettleCommand & {
  readonly encodedHeader: string;
  readonly echo: AcceptanceEcho | null | undefined;
};

/** Refusals that another claim of the same authorization may have caused in the meantime. */
export const MAY_BE_CLAIMED: ReadonlySet<string> = new Set([
  'authorization_already_used',
  'permit_nonce_mismatch',
  'insufficient_funds',
  'approval_missing',
]);

export async function settlePayment(ports: SettlePorts & TransferPorts, call: SettleCall): Promise<SettleResult> {
  const decoded = decodePaymentHeader(call.encodedHeader);
  const transfer = transferIn(decoded);
  if (transfer !== undefined) return settleTransfer(ports, { ...call, ...transfer });
  const submitted = authorizationIn(decoded);
  return settleSubmitted(ports, call, submitted, (read) =>
    settleNewHeader(ports, { ...call, decoded }, submitted, read),
  );
}

async function settleNewHeader(
  ports: SettlePorts,
  call: SettleCall & { readonly decoded: DecodedHeader },
  submitted: SubmittedAuthorization | null,
  read: SettlementRead,
): Promise<SettleResult> {
  const { caller, intentId } = call;
  const [acceptances, hourlyCaps] = await Promise.all([
    ports.loadAcceptances(caller, intentId),
    ports.findHourlyCaps(),
  ]);
  const refuse = (code: ErrorCode, detail?: string) => refuseSubmitted(ports, call, read, submitted, code, detail);
  const terms = verifyTerms({
    intent: read.intent,
    acceptances,
    decoded: call.decoded,
    echo: call.echo,
    networks: ports.networks,
    hourlyCaps,
    nowMs: ports.clock.nowMs(),
    purpose: 'exact',
  });
  if (!terms.ok) {
    // A valid header that comes too late gets the intent's status; no claim is taken and no chain is asked.
    if (terms.code === 'intent_not_payable' && isTaken(read)) return answer(settleAnswer(read));
    return refuse(terms.code, terms.detail);
  }
  const key = claimKeyOf(ports, terms);
  const verdict = await ports.verifyAuthorization(terms, call);
  if (verdict.ok) {
    const { kind, byContract, transfer } = verdict;
    const { authorization, signature: sentSignature } = terms.header.payload;
    const signature = verdict.signature ?? sentSignature;
    const { acceptance } = terms;
    const signed = { kind, byContract, authorization, signature, ...(transfer !== undefined && { transfer }) };
    return claimSubmitted(ports, call, submitted, { claimKey: key, acceptance, ...signed });
  }
  if (verdict.code === 'chain_unavailable') return { ok: false, code: verdict.code };
  const holder = MAY_BE_CLAIMED.has(verdict.code) ? await ports.findClaim(caller, intentId, key) : undefined;
  if (holder === 'elsewhere') return refuse('authorization_bound_elsewhere');
  // The authorization was claimed for this intent during the chain read: the first result stands.
  return holder === 'here'
    ? outcomeOf(ports, call, submitted, await reload(ports, call, submitted))
    : refuse(verdict.code);
}

export function claimKeyOf(ports: Pick<SettlePorts, 'uniquePartOf'>, terms: VerifiedTerms): Uint8Array {
  const { network, token } = terms.acceptance;
  const { from: payer } = terms.header.payload.authorization;
  return claimKey({ network, asset: token.address, payer, uniquePart: ports.uniquePartOf(terms) });
}

/** Null when the header can't be read, or has no authorization. */
export function authorizationIn(decoded: DecodedHeader): SubmittedAuthorization | null {
  if (!decoded.ok || !hasAuthorization(decoded.header)) return null;
  const { network: name, payload } = decoded.header;
  const network = parseNetwork(name);
  return network === undefined ? null : { ...payload.authorization, network };
}
